"""When tasks were last done."""

from howsure.store import tasks
from howsure.sure import Sure


def test_the_latest_moment_of_each_task_is_kept(sure: Sure) -> None:
    with sure.session.write() as transaction:
        assert tasks.read_last(transaction, "a task") is None
        tasks.note(transaction, "a task", 1.0)
        tasks.note(transaction, "another task", 3.0)
        tasks.note(transaction, "a task", 2.0)
        assert tasks.read_last(transaction, "a task") == 2.0
        assert tasks.read_last(transaction, "another task") == 3.0
