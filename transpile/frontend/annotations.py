"""Annotations: what stands after `name:` and `->`."""

from __future__ import annotations

import libcst as cst

from transpile import dtypes
from transpile.diagnostics import signatures
from transpile.dtypes import DType
from transpile.frontend.bindings import LanguageName, Missing, Refused, TypeName
from transpile.frontend.body import Body, Path, path_of, undefined
from transpile.ir import hir


def annotation_of(body: Body, node: cst.BaseExpression, *, allows_pointers: bool) -> hir.Annotation | None:
    """The type that `node` writes, or None with the fault reported."""
    if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
        body.report(signatures.quoted_annotation(body.span(node)))
        return None
    if isinstance(node, cst.Subscript):
        if allows_pointers:
            return _subscripted(body, node)
        _refuse(body, node, None, allows_pointers)
        return None
    path = path_of(body, node)
    if path is not None and isinstance(path.binding, TypeName):
        dtype = path.binding.dtype
        return hir.ScalarAnnotation(dtype, python=len(path.parts) == 1 and path.written in dtypes.PYTHON)
    _refuse(body, node, path, allows_pointers)
    return None


def dtype_of(body: Body, node: cst.BaseExpression) -> DType | None:
    """The element type that `node` writes, or None with the fault reported."""
    path = path_of(body, node)
    if path is not None and isinstance(path.binding, TypeName):
        return path.binding.dtype
    if path is not None and (isinstance(path.binding, Refused) or _report_missing(body, node, path)):
        return None
    body.report(signatures.unknown_dtype(body.span(node), path.written if path is not None else None))
    return None


def _subscripted(body: Body, node: cst.Subscript) -> hir.Annotation | None:
    path = path_of(body, node.value)
    items = [element.slice.value for element in node.slice if isinstance(element.slice, cst.Index)]
    if path is None or not isinstance(path.binding, LanguageName) or len(items) != 1 or len(node.slice) != 1:
        _refuse(body, node, path, True)
        return None
    match path.binding.name:
        case "native.ptr" | "native.const_ptr":
            dtype = dtype_of(body, items[0])
            return hir.PointerAnnotation(dtype, path.binding.name == "native.const_ptr") if dtype is not None else None
        case "native.static":
            inner = path_of(body, items[0])
            if inner is not None and inner.binding == TypeName(dtypes.I64):
                return hir.StaticAnnotation()
    _refuse(body, node, path, True)
    return None


def _refuse(body: Body, node: cst.BaseExpression, path: Path | None, allows_pointers: bool) -> None:
    if path is not None and isinstance(path.binding, Refused):
        return
    if path is None or not _report_missing(body, node, path):
        body.report(signatures.bad_annotation(body.span(node), body.where, allows_pointers))


def _report_missing(body: Body, node: cst.BaseExpression, path: Path) -> bool:
    """Says that a name does not exist, which explains more than that it is no type."""
    if not isinstance(path.binding, Missing):
        return False
    body.report(undefined(path, path.binding, body.span(node)))
    return True
