from transpile import native, tile


@tile.kernel
async def kernel(n: int, x: native.ptr[float]) -> None:
    async for i in range(n):
        pass
    async with n:
        pass
