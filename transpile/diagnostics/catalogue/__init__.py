"""Every code of a fault with its explanation, an example and the fix. `entry.py` says how to add one."""
