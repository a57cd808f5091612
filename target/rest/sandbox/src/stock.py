"""How many of a part there are."""


def available(stock: dict[str, int], part: str) -> int:
    return max(0, stock.get(part, 0))


def take(stock: dict[str, int], part: str, amount: int) -> bool:
    if amount <= 0 or available(stock, part) < amount:
        return False
    stock[part] -= amount
    return True
