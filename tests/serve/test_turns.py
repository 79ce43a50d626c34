"""Turns: who is next, who has to go, and that nothing lent is lost."""

import asyncio

import pytest

from mines_dd.serve.turns import BusyError, Turns


async def _settle():
    for _ in range(5):
        await asyncio.sleep(0)


async def _order(clients, most=99):
    """The clients in the order of their turns at one worker, and those that were sent away."""
    turns, served, sent = Turns(["worker"], most), [], []

    async def ask(client, about):
        try:
            worker = await turns.take(client, about)
        except BusyError:
            sent.append((client, about))
            return
        served.append((client, about))
        turns.give_back(worker)

    worker = await turns.take(("first", ""))
    asked = []
    for client, about in clients:
        asked.append(asyncio.ensure_future(ask(client, about)))
        await asyncio.sleep(0)
    turns.give_back(worker)
    await asyncio.gather(*asked)
    return served, sent


def test_addresses_take_turns_and_so_do_pages_at_one():
    crowd = [(("a", page), str(i)) for i, page in enumerate("1112")]
    served, _ = asyncio.run(_order([*crowd, (("b", "1"), "4")]))
    assert [about for _, about in served] == ["0", "4", "3", "1", "2"]


def test_who_has_used_less_time_is_next():
    async def order():
        turns, served = Turns(["worker"], 99), []

        async def ask(name, seconds):
            worker = await turns.take((name, ""))
            served.append(name)
            turns.charge((name, ""), seconds)
            turns.give_back(worker)

        for names in ("slow", "quick"), ("slow", "quick", "new"):
            worker = await turns.take(("someone else", ""))
            asked = [asyncio.ensure_future(ask(name, {"slow": 5}.get(name, 0.1))) for name in names]
            await _settle()
            turns.give_back(worker)
            await asyncio.gather(*asked)
        return served

    assert asyncio.run(order()) == ["slow", "quick", "new", "quick", "slow"]


def test_time_that_is_not_used_is_not_saved_up():
    async def order():
        turns, served = Turns(["worker"], 99), []

        async def ask_often(name):
            for _ in range(3):
                worker = await turns.take((name, ""))
                served.append(name)
                await _settle()
                turns.charge((name, ""), 1)
                turns.give_back(worker)

        await asyncio.gather(ask_often("a"), ask_often("b"))
        await asyncio.gather(ask_often("a"), ask_often("late"))
        return "".join(name[0] for name in served)

    assert asyncio.run(order()) == "ababab" + "alalal"


def test_a_page_that_asks_anew_no_longer_waits_for_its_last_question():
    served, sent = asyncio.run(_order([(("a", "1"), "analyse"), (("a", "1"), "explain"), (("a", "1"), "analyse")]))
    assert [about for _, about in served] == ["explain", "analyse"]
    assert sent == [(("a", "1"), "analyse")]


def test_of_too_many_the_last_of_the_largest_crowd_goes():
    served, sent = asyncio.run(_order([(("a", ""), "0"), (("a", ""), "1"), (("b", ""), "2")], most=2))
    assert [about for _, about in sent] == ["1"]
    assert len(served) == 2


def test_what_was_lent_to_a_client_that_left_is_lent_again():
    async def leave():
        turns = Turns(["worker"], 9)
        await turns.take(("a", ""))
        gone, next_one = (asyncio.ensure_future(turns.take((name, ""))) for name in "bc")
        await _settle()
        turns.give_back("worker")
        gone.cancel()  # has been called, but has not run yet
        with pytest.raises(asyncio.CancelledError):
            await gone
        assert await next_one == "worker"
        gone, next_one = (asyncio.ensure_future(turns.take((name, ""))) for name in "bc")
        await _settle()
        gone.cancel()  # has given up, but has not run yet
        turns.give_back("worker")
        assert await next_one == "worker"
        with pytest.raises(asyncio.CancelledError):
            await gone
        waiting = asyncio.ensure_future(turns.take(("d", "")))
        await _settle()
        waiting.cancel()
        await _settle()
        assert turns.waiting == 0
        turns.give_back("worker")
        assert await turns.take(("e", "")) == "worker"

    asyncio.run(asyncio.wait_for(leave(), 5))
