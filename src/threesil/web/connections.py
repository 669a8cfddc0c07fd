"""Connections of slow clients: cut off in time, so that they keep nobody else out.

The server *waits* for a connection until a whole request has come, and while the client does not
take what is written to it. Each wait has a limit. If too many connections wait at a time, the one
that has waited longest is closed for a new one.

    headers    the connection is new, or its last request is answered: the next one has not begun,
               or not all of its headers have come
    body       the headers have come, and not all of the body
    taking     more is written than the client has taken
"""

from __future__ import annotations

import asyncio
from typing import ClassVar, Final, Literal

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_Stage = Literal["headers", "body", "taking"]

LONGEST_HEADERS: Final = 16_000  # bytes
CONNECTIONS: Final = 500  # at a time, with those that wait
IDLE: Final = 5  # seconds until a connection without a further request is closed


class Connection(H11Protocol):
    """The connection of a client, which speaks HTTP/1.1; give the class to uvicorn as `http`."""

    seconds: ClassVar[dict[_Stage, float]] = {"headers": 10.0, "body": 60.0, "taking": 10.0}
    least: ClassVar = 10_000  # bytes that are to be taken in such a time
    most: ClassVar = CONNECTIONS // 2  # that wait at a time
    waiting: ClassVar[dict[Connection, None]] = {}  # those that have waited longest come first

    _stage: _Stage | None = None
    _timer: asyncio.TimerHandle | None = None
    _behind = False  # whether the client takes too little
    _left = 0  # bytes that it had not taken when the timer was set

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        if len(self.waiting) > self.most:
            next(iter(self.waiting))._cut_off()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._behind = True
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._behind = False
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Says that this is no request, unless its answer has begun; it gets no other answer."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self._cut_off()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._enter(None)

    def _watch(self) -> None:
        """Sets the timer where another stage has begun."""
        stage = self._now()
        if stage != self._stage:
            self._enter(stage)

    def _now(self) -> _Stage | None:
        if self._behind or self.transport.is_closing():
            return "taking"
        if self.conn.their_state is h11.IDLE:
            return "headers"
        return "body" if self.conn.their_state is h11.SEND_BODY else None

    def _enter(self, stage: _Stage | None) -> None:
        self._stage = stage
        self.waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if stage is not None:
            self.waiting[self] = None
            self._left = self.transport.get_write_buffer_size()
            self._timer = self.loop.call_later(self.seconds[stage], self._end, stage)

    def _end(self, stage: _Stage) -> None:
        """The time is over, unless the client still takes what was written."""
        if self._left - self.transport.get_write_buffer_size() >= self.least:
            self._enter(stage)
        else:
            self._cut_off()

    def _cut_off(self) -> None:
        self._enter(None)
        self.transport.abort()
