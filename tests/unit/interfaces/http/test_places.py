"""Which connection is closed when there is one too many."""

from __future__ import annotations

from dataclasses import dataclass

from ragbase.interfaces.http.places import Placed, Places, Standing


@dataclass(eq=False)
class Connection:
    address: str | None = "192.0.2.1"
    standing: Standing = Standing.STRANGER
    holder: str | None = None

    def close_now(self) -> None:
        raise AssertionError("the server does that")


def known(name: str, standing: Standing = Standing.KNOWN, address: str = "192.0.2.9") -> Connection:
    return Connection(address, standing, name)


def going(*connections: Connection, most: int = 3, per_address: int = 100) -> list[Placed]:
    """Those that are closed as the last one comes."""
    places = Places(behind_proxies=False, most=most, per_address=per_address)
    for one in connections:
        places.take(one)
    found = list(places.too_many())
    assert places.too_many() == (), "nothing has changed since"
    return found


def test_there_is_room_for_some() -> None:
    assert going(Connection(), Connection(), Connection()) == []


def test_the_oldest_strangers_make_room() -> None:
    oldest, older, *others = (Connection() for _ in range(5))
    assert going(oldest, older, *others) == [oldest, older]


def test_an_address_with_many_makes_room_for_one_with_few() -> None:
    few, first = Connection("203.0.113.5"), Connection()
    assert going(few, first, Connection(), Connection()) == [first]


def test_a_known_sender_stays_while_there_is_a_stranger() -> None:
    stranger = Connection()
    sends, rests, answered = known("a"), known("b", Standing.RESTING), known("c", Standing.ANSWERED)
    assert going(answered, sends, rests, stranger) == [stranger]
    assert going(answered, sends, rests, stranger, most=2) == [stranger, rests]
    assert going(answered, sends, rests, stranger, most=1) == [stranger, rests, sends]


def test_a_flood_of_health_checks_closes_no_other_connection() -> None:
    """Each of them has arrived, as none is refused. A client that has just come has sent nothing yet."""
    first, second, *others = (Connection(standing=Standing.ANSWERED) for _ in range(4))
    sends, new = known("a"), Connection("203.0.113.5")
    assert going(first, second, *others, sends, new, most=5) == [first]
    assert going(first, second, *others, sends, new, most=4) == [first, second]


def test_a_known_sender_with_many_makes_room_for_one_with_few() -> None:
    few, first, second = known("few"), known("many"), known("many", address="192.0.2.10")
    assert going(few, first, second, most=2) == [first]


def test_an_address_has_so_many_strangers() -> None:
    first, others = Connection(), [Connection() for _ in range(3)]
    of_others = [Connection("203.0.113.5"), known("a", address="192.0.2.1")]
    assert going(*of_others, first, *others, most=100, per_address=3) == [first]


def test_a_connection_of_unknown_address_counts_for_none() -> None:
    """Programs of this machine share an address, and clients of a proxy share its."""
    assert going(*(Connection(None) for _ in range(10)), most=100, per_address=3) == []


def test_whose_connection_it_is() -> None:
    plain, proxied = Places(behind_proxies=False), Places(behind_proxies=True)
    assert plain.address_of_peer("192.0.2.1") == "192.0.2.1"
    assert plain.address_of_peer("2001:db8::/64") == "2001:db8::/64"
    assert proxied.address_of_peer("192.0.2.1") is None
    assert proxied.address_of_client("192.0.2.1") == "192.0.2.1"
    for shared in ("127.0.0.1", "127.8.9.1", "::1", "unknown"):
        assert proxied.address_of_client(shared) is None


def test_a_connection_that_has_gone_takes_no_place() -> None:
    places = Places(behind_proxies=False, most=1)
    first, second = Connection(), Connection()
    places.take(first)
    places.leave(first)
    places.leave(first)
    places.take(second)
    assert places.too_many() == []
