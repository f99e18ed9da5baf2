"""The whole service as one stack: the engine, and API, worker and beat as children that are kept running."""

import os
import threading
import time
from types import TracebackType

from service import wiring
from service.cli import api_address
from service.cli.child import Child, Say, describe
from service.cli.children import api_command, beat_command, child_environment, log_path, worker_command
from service.errors import EngineError
from service.settings import Settings

READY_SECONDS = 60.0
LOOK_SECONDS = 0.1
ENGINE_PAUSE_SECONDS = 5.0


class Stack:
    """`with Stack(settings) as url:` runs everything; at the end nothing of it is left. `quiet` says only errors."""

    def __init__(self, settings: Settings, *, quiet: bool = False, say: Say | None = None) -> None:
        self._settings = settings.model_copy(update={"data_dir": settings.data_dir.absolute()})
        self._say: Say = (lambda _: None) if quiet else say or print
        self._engine = None if settings.redis_url else wiring.embedded_engine(self._settings)
        self._children: dict[str, Child] = {}
        self._environment: dict[str, str] = {}
        self._stopping = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="stack-watcher", daemon=True)

    def start(self) -> str:
        """The API's url, once it is ready to serve. EngineError with the log's last lines if a child ends before."""
        try:
            if self._engine is not None:
                self._engine.start()
            if not self._settings.database_url:
                wiring.migrate(self._settings)
            wiring.check_database(self._settings)
            self._make_children()
            url = self._wait_until_ready()
        except BaseException:
            self.stop()
            raise
        self._watcher.start()
        return url

    def stop(self) -> None:
        """Children first, all at once, then the engine they use; a second interrupt kills what is left."""
        self._stopping.set()
        if self._watcher.is_alive():
            self._watcher.join()
        try:
            for child in self._children.values():
                child.terminate()
            for child in self._children.values():
                child.wait()
        except KeyboardInterrupt:
            for child in self._children.values():
                child.kill()
            for child in self._children.values():
                child.wait()
        finally:
            self._children.clear()
            api_address.forget(self._settings)
            if self._engine is not None:
                self._engine.stop()

    def wait(self) -> None:
        """Until a signal handler raises."""
        self._stopping.wait()

    def __enter__(self) -> str:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _make_children(self) -> None:
        folder = self._settings.data_dir
        (folder / "logs").mkdir(mode=0o700, parents=True, exist_ok=True)
        api_address.forget(self._settings)
        self._environment = self._child_environment()
        commands = {
            "api": api_command(),
            "worker": worker_command(self._settings),
            "beat": beat_command(self._settings),
        }
        for name, command in commands.items():
            child = Child(name, command, log_path(self._settings, name), folder)
            self._children[name] = child
            child.start(self._environment)

    def _child_environment(self) -> dict[str, str]:
        settings = self._settings
        urls = wiring.running_urls(settings)
        resolved = {
            "redis_url": urls.redis_url,
            "broker_url": urls.broker_url,
            "database_url": settings.sqlalchemy_url,
        }
        return child_environment(settings.model_copy(update=resolved), os.environ)

    def _wait_until_ready(self) -> str:
        deadline = time.monotonic() + READY_SECONDS
        answer: object = "nothing"
        while time.monotonic() < deadline:
            for child in self._children.values():
                status = child.ended()
                if status is not None:
                    raise EngineError(
                        f"{child.name} ended while it started ({describe(status)})",
                        hint=f"Its log, {child.log}, ends with:\n{child.last_words()}",
                    )
            url = api_address.announced(self._settings)
            answer = api_address.get(url, "/readyz") if url else None
            if url and answer and answer[0] == 200:
                self._keep_port(url)
                return url
            time.sleep(0.02)
        raise EngineError(f"the API was not ready after {READY_SECONDS:.0f} s; it answered {answer}")

    def _keep_port(self, url: str) -> None:
        """An API that is started again listens where its clients look for it, also when the port was ours to pick."""
        port = int(url.rsplit(":", 1)[1])
        self._settings = self._settings.model_copy(update={"port": port})
        self._environment["CARRYFORWARD_PORT"] = str(port)

    def _watch(self) -> None:
        while not self._stopping.wait(LOOK_SECONDS):
            if self._engine is not None and not self._engine.alive():
                self._start_engine_again()
                continue
            for child in self._children.values():
                child.keep_running(self._environment, self._say)

    def _start_engine_again(self) -> None:
        """The new one has another port and password, so the children begin anew too."""
        assert self._engine is not None  # noqa: S101
        self._say("the engine ended; starting it and everything else again")
        for child in self._children.values():
            child.terminate()
        for child in self._children.values():
            child.wait()
        try:
            self._engine.stop()
            self._engine.start()
            self._environment = self._child_environment()
        except EngineError as error:
            self._say(f"{error.message}. {error.hint}")
            self._stopping.wait(ENGINE_PAUSE_SECONDS)
            return
        for child in self._children.values():
            child.start(self._environment)
