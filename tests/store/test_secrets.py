"""A backup gives no access: what its tokens were is not in it."""

from pathlib import Path

import pytest

from howsure.serve.desk import Desk
from howsure.serve.errors import AccessDeniedError
from howsure.serve.tokens import Tokens
from howsure.store import check as checking
from howsure.store.transfer import backup
from howsure.sure import open as open_store


def test_a_backup_file_gives_no_access(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "one.db")) as one:
        tokens = Tokens(one.session)
        token, secret = tokens.create("ann", "admin")
        backup(one.session, tmp_path / "backup.db")
        tokens.revoke("ann")
        with one.session.database.read() as transaction:
            digest = transaction.value("SELECT digest FROM tokens WHERE id = ?", [token.id])
    content = (tmp_path / "backup.db").read_bytes()
    assert digest.encode() not in content
    assert [path.name for path in tmp_path.iterdir() if "backup" in path.name] == ["backup.db"]
    for read_only in (True, False):
        with open_store(str(tmp_path / "backup.db"), read_only=read_only) as copy:
            with pytest.raises(AccessDeniedError):
                Desk(copy, requires_tokens=True).authenticate(secret)
            assert not checking.check(copy.session)
