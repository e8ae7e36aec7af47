#!/usr/bin/env python3
"""Checks a table's journal, or a piece of one. Written from docs/JOURNAL.md alone; needs this
folder and Python 3, nothing else.

Usage: verify_journal.py [--deep] FILE [PUBLIC_KEY]

FILE        a journal; an evidence file (`cutcard evidence export`); or lines of JSON (`cutcard
            journal export`, with or without --whole, `cutcard floor export`, MQTT events)
PUBLIC_KEY  the device's, from elsewhere than FILE: all that is signed must be signed with it.
            A PEM file (signing.pub), or the key itself: 32 bytes in base64 or hexadecimal, or a
            SubjectPublicKeyInfo in base64
--deep      of a journal: read every row as a step, check every document (of pieces: always)

Exit code 0: whole. 1: damaged, the first bad place is named; or something is not proved, and that
is said: it was not among the lines a journal was rebuilt from, or a report is not sealed.
2: the question cannot be answered: no journal and no piece of one, or no public key.
"""
import hashlib
import json
import os
import sqlite3
import sys
from urllib.parse import quote

from canonical import sha256_hex
from pieces import (
    CHECKPOINT_NS,
    CHECKPOINT_ROWS,
    CHECKPOINT_TYPE,
    REBUILT_TYPE,
    check_piece,
    kind_of as kind_of_piece,
    why_due,
)
from rows import ROWS, Damage, kind_of, page_trouble, row_hash, unpack
from signed import NoKey, is_signed, public_key

APPLICATION_ID = 0x43434A31
FORMAT = 1


def check_rows(db, words):
    first, prev = 1, bytes(32)
    pruned = db.execute("SELECT seq, prev FROM pruned ORDER BY seq DESC LIMIT 1").fetchone()
    if pruned:
        first, prev = pruned
    seq, at_ns, hashes = first - 1, 0, {}
    signed = {row[0] for row in db.execute("SELECT seq FROM checkpoint")}
    last = db.execute("SELECT coalesce(max(seq), 0) FROM step").fetchone()[0]
    while seq < last:
        try:
            rows = db.execute(ROWS + "WHERE seq > ? ORDER BY seq LIMIT 1", (seq,)).fetchall()
        except sqlite3.DatabaseError as error:
            raise Damage(seq + 1, "torn page", str(error)) from error
        row = rows[0]
        if row[0] != seq + 1:
            trouble = page_trouble(db)
            if trouble:
                raise Damage(seq + 1, "torn page", trouble)
            raise Damage(seq + 1, "missing row", f"row {seq + 1} is not there")
        types = (int, int, int, bytes, bytes)
        if not all(isinstance(value, kind) for value, kind in zip(row, types)):
            raise Damage(row[0], "changed byte", "a column holds the wrong type")
        if row_hash(prev, row, words) != row[3]:
            raise Damage(row[0], *kind_of(db, row, prev, words))
        if row[1] < at_ns:
            raise Damage(row[0], "not a step", "its time is before the row before it")
        seq, at_ns, prev = row[0], row[1], row[3]
        if seq in signed:
            hashes[seq] = prev
    return first, seq, prev, hashes


def missing_checkpoint(db, words, signed):
    """The first checkpoint missing behind the last one: its row and why it was due."""
    rows = db.execute(ROWS + "WHERE seq > ? ORDER BY seq LIMIT ?", (signed, CHECKPOINT_ROWS))
    rows = rows.fetchall()
    began = db.execute("SELECT at_ns FROM step WHERE seq = ?", (signed,)).fetchone()[0]
    for row in rows:
        why = why_due(json.loads(unpack(row[4], words, row[0], row[1], row[2])))
        if why:
            return row[0], why
        if row[1] - began >= CHECKPOINT_NS:
            return row[0], "5 minutes"
    return (rows[-1][0], f"{CHECKPOINT_ROWS} rows") if len(rows) == CHECKPOINT_ROWS else None


# --- journals made anew from lines kept elsewhere ----------------------------------------------
def step_of(db, words, seq):
    row = db.execute(ROWS + "WHERE seq = ?", (seq,)).fetchone()
    return None if row is None else json.loads(unpack(row[4], words, row[0], row[1], row[2]))


def read_mark(body, first):
    said = None
    try:
        said = json.loads(body)
        fields = ("firstSeq", "seq", "wallMs", "checkpoints", "signedSeq")
        right = said["type"] == REBUILT_TYPE and all(type(said[name]) is int for name in fields)
        right = right and isinstance(said["hash"], str) and isinstance(said["missing"], list)
    except (TypeError, ValueError, KeyError):
        right = False
    if not right:
        raise Damage(first, "rebuilt", "the mark is not one of this program")
    return said


def check_mark(db, words, first, last, mark, demanded):
    body, name, signature = mark
    said = read_mark(body, first)
    seq = said["seq"]
    if (name is None) != (signature is None):
        raise Damage(seq, "rebuilt", "its key or its signature is not there")
    if signature is not None:
        known = db.execute("SELECT public FROM key WHERE name = ?", (name,)).fetchone()
        public = known[0] if known else b""
        if hashlib.sha256(public).hexdigest() != name:
            raise Damage(seq, "rebuilt", "its key is not there or was changed")
        if demanded is not None and public != demanded:
            raise Damage(seq, "rebuilt", "it is signed with another key")
        if not is_signed(public, body.encode(), signature):
            raise Damage(seq, "rebuilt", "the signature is not that of its text")
    if seq < first:
        return said
    row = db.execute("SELECT hash FROM step WHERE seq = ?", (seq,)).fetchone()
    if row is None or row[0].hex() != said["hash"]:
        raise Damage(seq, "rebuilt", "it speaks of another row")
    if last > seq and step_of(db, words, seq + 1)["observation"]["kind"] != "power.boot":
        raise Damage(seq + 1, "rebuilt", "no start follows the rows it says were put back")
    behind = db.execute("SELECT 1 FROM checkpoint WHERE seq = ?", (seq + 1,)).fetchone()
    if behind and signature is None:
        raise Damage(seq + 1, "rebuilt", "the start behind it is signed, and the mark is not")
    count = "SELECT count(*) FROM checkpoint WHERE seq BETWEEN ? AND ?"
    held = db.execute(count, (first, seq)).fetchone()[0]
    if first <= said["firstSeq"] and held != said["checkpoints"]:
        raise Damage(seq, "rebuilt", f"{said['checkpoints']} checkpoints put back, {held} there")
    return said


def check_marks(db, words, first, last, demanded):
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'rebuilt'").fetchone():
        return []
    marks = db.execute("SELECT body, key, signature FROM rebuilt ORDER BY n").fetchall()
    return [check_mark(db, words, first, last, mark, demanded) for mark in marks]


def not_covered(error, marks, last, signed):
    """A checkpoint that was not there to be put back is not damage: what is said instead."""
    if not marks or signed > marks[-1]["seq"]:
        raise error
    if last > marks[-1]["seq"]:
        raise Damage(marks[-1]["seq"] + 1, "checkpoint", "the start behind the rows is not signed")
    return [f"not proved: rows {signed + 1} to {last} are not signed (rebuilt)"]


def check_cover(db, words, first, last, signed, demanded):
    """What the checkpoints leave open, in words; damage where a key was demanded."""
    at_first = db.execute("SELECT 1 FROM checkpoint WHERE seq = ?", (first,)).fetchone()
    if first > 1 and not at_first:
        raise Damage(first, "checkpoint", "rows before it were let go, and nothing signs it")
    missing = missing_checkpoint(db, words, signed) if signed else None
    said = f"no checkpoint signs row {missing[0]}: one was due ({missing[1]})" if missing else ""
    if demanded is not None and last > 0:
        if not signed:
            raise Damage(first, "checkpoint", "no checkpoint is signed with the key")
        if missing:
            raise Damage(missing[0], "checkpoint", said)
    lines = [f"rows {max(first, signed + 1)} to {last} are not signed yet"] if signed < last else []
    return lines + ([said] if missing else [])


def check_checkpoints(db, hashes, demanded):
    keys = dict(db.execute("SELECT name, public FROM key"))
    count, signed = 0, 0
    for seq, body, signature in db.execute(
        "SELECT seq, body, signature FROM checkpoint ORDER BY seq"
    ):
        said = json.loads(body)
        public = keys.get(said.get("key"))
        if said.get("type") != CHECKPOINT_TYPE or said.get("seq") != seq:
            raise Damage(seq, "checkpoint", "it is not one, or speaks of another row")
        if public is None or hashlib.sha256(public).hexdigest() != said["key"]:
            raise Damage(seq, "checkpoint", "its key is not there or was changed")
        if demanded is not None and public != demanded:
            raise Damage(seq, "checkpoint", "it is signed with another key")
        if not is_signed(public, body.encode(), signature):
            raise Damage(seq, "checkpoint", "the signature is not that of its text")
        if seq not in hashes or hashes[seq].hex() != said["hash"]:
            raise Damage(seq, "checkpoint", "it signs another row, or one that is not there")
        count, signed = count + 1, seq
    return count, signed


def check_saved_states(db, first, demanded):
    keys = [key for (key,) in db.execute("SELECT public FROM key")]
    states = "SELECT seq, hash, state, digest FROM snapshot WHERE seq >= ? ORDER BY seq DESC"
    for seq, own, state, digest in db.execute(states, (first,)):
        row = db.execute("SELECT hash FROM step WHERE seq = ?", (seq,)).fetchone()
        whole = hashlib.sha256(own.hex().encode() + state.encode()).digest()
        if row is None or row[0] != own or digest[:32] != whole:
            raise Damage(seq, "saved state", "it is not of that row, or was changed")
        if demanded is None and len(digest) == 32:
            continue
        text = b"cutcard-state-1 " + whole.hex().encode()
        if not any(is_signed(key, text, digest[32:]) for key in ([demanded] if demanded else keys)):
            raise Damage(seq, "saved state", "nobody known signed it")


# --- every text and every document (--deep) ---------------------------------------------------
def check_texts(db, words, first):
    for row in db.execute(ROWS + "WHERE seq >= ? ORDER BY seq", (first,)):
        try:
            said = json.loads(unpack(row[4], words, row[0], row[1], row[2]))["observation"]
            columns = [said["seq"], said["atNs"], said["wallMs"]]
        except (TypeError, ValueError, KeyError) as error:
            raise Damage(row[0], "not a step", str(error)) from error
        if [float(number) for number in columns] != [float(number) for number in row[:3]]:
            raise Damage(row[0], "changed byte", "its columns say another row or time")


def check_documents(db, words, first, marks):
    absent = {}
    texts = dict(db.execute("SELECT hash, text FROM document"))
    changed = {name for name, text in texts.items() if sha256_hex(text) != name}
    for row in db.execute(ROWS + "WHERE seq >= ? ORDER BY seq", (first,)):
        said = json.loads(unpack(row[4], words, row[0], row[1], row[2]))["observation"]
        if said["kind"] != "power.boot":
            continue
        for name in (said.get("procedure"), said.get("table")):
            if name is None or (name in texts and name not in changed):
                continue
            if name not in texts and any(
                row[0] <= mark["seq"] and name in mark["missing"] for mark in marks
            ):
                absent.setdefault(name, row[0])
            else:
                raise Damage(row[0], "document", f"{name} is not there or was changed")
    for name in sorted(changed):
        raise Damage(first, "document", f"{name} was changed")
    return [f"not proved: document {name} of row {seq} is absent" for name, seq in absent.items()]


def check_log(db, path, last):
    """The file says where a log belongs to it; a log of a header alone holds no row."""
    marked = db.execute("SELECT 1 FROM cursor WHERE consumer = ' log in use'").fetchone()
    if marked and size_of(path + "-wal") <= 32:
        raise Damage(last + 1, "lost log", "the write-ahead log is gone")


def size_of(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    deep = "--deep" in arguments
    arguments = [argument for argument in arguments if argument != "--deep"]
    if len(arguments) not in (1, 2) or arguments[0].startswith("--"):
        print(__doc__, file=sys.stderr)
        return 2
    path = arguments[0]
    # Looked at first: opening a pipe would wait for ever.
    if not os.path.isfile(path):
        print(f"{path}: no file, not a journal")
        return 2
    try:
        demanded = public_key(arguments[1]) if len(arguments) == 2 else None
        kind = kind_of_piece(path)
    except (NoKey, OSError) as error:
        print(error)
        return 2
    if kind is None:
        return check_journal(path, deep, demanded)
    said, code = check_piece(path, kind, demanded)
    print("\n".join(said))
    return code


def check_journal(path, deep, demanded):
    if size_of(path) == 0 and size_of(path + "-wal") == 0:
        print(f"{path}: was emptied, nothing is left to check")
        return 1
    try:
        db = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)
        ident = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        print(f"{path}: cannot be read: {error}")
        return 2
    if ident != APPLICATION_ID or version != FORMAT:
        print(f"{path}: no journal of format {FORMAT}")
        return 2
    try:
        words = {code: text.encode() for code, text in db.execute("SELECT code, text FROM word")}
        check_log(db, path, db.execute("SELECT coalesce(max(seq), 0) FROM step").fetchone()[0])
        first, last, head, hashes = check_rows(db, words)
        if deep:
            check_texts(db, words, first)
        count, signed = check_checkpoints(db, hashes, demanded)
        marks = check_marks(db, words, first, last, demanded)
        unproved = []
        try:
            open_ends = check_cover(db, words, first, last, signed, demanded)
        except Damage as damage:
            open_ends, unproved = [], not_covered(damage, marks, last, signed)
        check_saved_states(db, first, demanded)
        if deep:
            unproved += check_documents(db, words, first, marks)
    except Damage as damage:
        print(damage)
        return 1
    except sqlite3.DatabaseError as error:
        print(f"damaged at row 1: torn page: {error}")
        return 1
    print(f"rows {first} to {last} whole, {count} signed checkpoints, last {last}:{head.hex()}")
    for mark in marks:
        print(f"rows {mark['firstSeq']} to {mark['seq']} were put back (rebuilt)")
    for line in open_ends + unproved:
        print(line)
    return 1 if unproved else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
