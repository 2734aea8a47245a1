"""How much of the room for bodies one sender may have."""

from __future__ import annotations

from ragbase.interfaces.http.body_space import FILES, IN_MEMORY, BodySpace


def test_a_sender_may_hold_half_of_what_the_others_leave() -> None:
    space = BodySpace(1200)
    assert space.has("a", 600) and not space.has("a", 601)
    space.change("a", before=0, after=600)
    assert space.has("a") and not space.has("a", 1)
    assert space.has("b", 300) and not space.has("b", 301)
    space.change("b", before=0, after=300)
    assert not space.has("a"), "it holds more than half of what is left for it now, and takes no more"
    assert space.has("c", 150) and not space.has("c", 151)


def test_room_is_free_again() -> None:
    space = BodySpace(1200)
    space.change("a", before=0, after=100)
    space.change("a", before=100, after=600)
    space.change("a", before=600, after=0)
    assert space.has("b", 600)


def test_a_sender_may_hold_so_many_files() -> None:
    """Small bodies are in memory, and are none."""
    space = BodySpace()
    for _ in range(FILES):
        assert space.has("a", IN_MEMORY + 1)
        space.change("a", before=0, after=IN_MEMORY)
        space.change("a", before=IN_MEMORY, after=IN_MEMORY + 1)
    assert not space.has("a", IN_MEMORY + 1)
    assert space.has("a", IN_MEMORY) and space.has("b", IN_MEMORY + 1)
    space.change("a", before=IN_MEMORY + 1, after=0)
    assert space.has("a", IN_MEMORY + 1)
