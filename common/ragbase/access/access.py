"""All ways to become a caller, with the settings of one process."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.access.api_keys import ApiKeys, caller_of
from ragbase.access.caller import PUBLIC, Caller, Scope
from ragbase.access.daily_limits import Limited
from ragbase.access.daily_use import DailyUse
from ragbase.access.public_queries import PublicQueries
from ragbase.access.sessions import Sessions, StartedSession
from ragbase.access.settings import check_settings, configured_password, tenant_limits
from ragbase.access.sign_in_attempts import SignInAttempts
from ragbase.access.token import Token, TokenKind
from ragbase.domain.errors import NotAllowed, NotSignedIn
from ragbase.domain.tenant import Tenancy

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock
    from ragbase.settings import Config


class Access:
    """May be used by several threads at once. Nothing is opened before the first call."""

    def __init__(self, config: Config, checkpoints: Callable[[], Checkpoints], clock: Clock) -> None:
        """Raises ConfigurationError if the settings of sign-in are wrong."""
        check_settings(config)
        self._way = config.sign_in
        self._password = configured_password(config)
        self._tenancy = config.tenancy
        self._lasting = timedelta(hours=config.session_hours)
        self._sessions = Sessions(checkpoints, clock, password_hash=str(self._password or ""))
        self._attempts = SignInAttempts(checkpoints, clock)
        self._public = PublicQueries(
            per_address=config.public_queries_per_address,
            per_minute=config.public_queries_per_minute,
            per_day=config.public_queries_per_day,
            checkpoints=checkpoints,
            clock=clock,
        )
        self.keys = ApiKeys(checkpoints, clock)
        self.use = DailyUse(tenant_limits(config), checkpoints, clock)

    @property
    def has_password(self) -> bool:
        return self._password is not None

    @property
    def is_set_up(self) -> bool:
        """Whether anybody could sign in: there is a password or an API key, also one that is over."""
        return self._password is not None or self.keys.exist()

    @property
    def is_open(self) -> bool:
        """Whether nobody has to show a token: IAM guards the API, or it is this machine's alone, and there never was a
        password or a key."""
        return self._way == "iam" or (self._way == "local" and not self.is_set_up and not self.keys.is_remembered())

    @property
    def is_locked_up(self) -> bool:
        """Whether nobody can use the API: it stays closed, and there is neither a password nor a key."""
        return not self.is_set_up and not self.is_open

    def remember(self) -> None:
        """If there is a password or a key, stay closed without it, too: a revoked key or a lost setting opens nothing.
        A server calls this when it starts."""
        if self.is_set_up and not self.keys.is_remembered():
            self.keys.remember()

    def sign_in(self, password: str, address: str) -> StartedSession:
        """A session, with all rights. Raises NotSignedIn for a wrong password, and TooManyRequests."""
        from ragbase.access.password import one_check

        if self._password is None:
            raise NotSignedIn("No password is set, so nobody can sign in with one. Use an API key (`ragbase keys`).")
        self._attempts.look(address)
        with one_check():
            self._attempts.begin(address)
            is_right = self._password.matches(password)
        if not is_right:
            telemetry.log("access.refused", address=address)
            raise NotSignedIn("The password is wrong.")
        self._attempts.succeeded(address)
        telemetry.log("access.signed_in", address=address)
        return self._sessions.start(self._lasting)

    def sign_out(self, token: Token) -> None:
        if token.kind is TokenKind.SESSION:
            self._sessions.end(token)

    def sign_out_everywhere(self) -> None:
        """End every sign-in with the password."""
        self._sessions.end_all()

    def caller(self, token: Token) -> Caller:
        """Who has this token. It writes nothing.

        Raises NotSignedIn, and NotAllowed for a key of one tenant where there are none.
        """
        if token.kind is TokenKind.KEY:
            caller = self.keys.caller(token)
            if caller is None:
                raise NotSignedIn("This API key is not valid: it is wrong, revoked or over. Use another one.")
            if caller.tenant is not None and self._tenancy is Tenancy.NONE:
                raise NotAllowed(
                    f"The API key {caller.name} is for the documents of one tenant, {caller.tenant}, but the setting "
                    "`tenancy` is none: documents have no tenant. Use a key for all documents, or set `tenancy`."
                )
            return caller
        if self._password is None or not self._sessions.is_valid(token):
            raise NotSignedIn("This sign-in is over. Sign in again with POST /api/auth/login.")
        return Caller("password", session_id=token.id)

    def may_still_upload(self, basis: str, name: str) -> bool:
        """Whether an upload of this document is allowed now, by what a caller's rights rested on earlier
        (Caller.basis)."""
        kind, _, id = basis.partition(":")
        match kind:
            case "key":
                key = self.keys.get(id)
                return key is not None and self._may_write(caller_of(key), name)
            case "session":
                return self._password is not None and self._sessions.is_held(id)
            case "local":
                return self._way == "local" and self.is_open
            case _:
                return kind == self._way == "iam"

    def _may_write(self, caller: Caller, name: str) -> bool:
        is_own = caller.tenant in (None, self._tenancy.tenant_of(name))
        return Scope.WRITE in caller.scopes and is_own and caller.reach.has(name)

    def check_limits(self, caller: Caller, address: str, *, upload: int | None = None) -> None:
        """Raises TooManyRequests if a limit is known to be used up. It counts nothing, and writes nothing. `upload` is
        the least size of the file that is sent, in bytes; None if none is."""
        if caller == PUBLIC:
            self._public.look(address)
        else:
            self.use.look(caller, Limited.REQUESTS)
            if upload is not None:
                self.use.look(caller, Limited.UPLOADS)
                self.use.look(caller, Limited.BYTES, upload)

    def admit(self, caller: Caller, address: str) -> None:
        """Count a request of this caller, once, before it is answered. Raises TooManyRequests."""
        if caller == PUBLIC:
            self._public.admit(address)
        elif caller.key_id is not None:
            self.use.take(caller, Limited.REQUESTS)
            self.keys.note_use(caller.key_id)
