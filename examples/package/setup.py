from setuptools import setup

from transpile.build.setuptools import kernels

setup(ext_modules=kernels(["signals/ops.py"], targets=["cuda", "cpu"], arch=["sm_80", "sm_90"]))
