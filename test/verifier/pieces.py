"""Checks what a journal was exported as: lines of JSON, and evidence files (docs/JOURNAL.md)."""
import base64
import hashlib

from canonical import canonical, parse, sha256_hex
from signed import is_signed

CHECKPOINT_TYPE = "cutcard-checkpoint-1"
REBUILT_TYPE = "cutcard-rebuilt-1"
EVIDENCE_FORMAT = "cutcard-evidence-1"
WHOLE_FORMAT = "cutcard-whole-1"
CHECKPOINT_ROWS = 1000
CHECKPOINT_NS = 300 * 10**9
OPEN = '<script type="application/json" id="evidence">\n'
CLOSE = "\n</script>"
# Longest line, characters: a table's documents have some 64,000.
MAX_LINE = 1_000_000


class Flaw(Exception):
    def __init__(self, where, what):
        super().__init__(f"damaged: {where}: {what}")


def from_base64(text):
    return base64.b64decode(text, validate=True)


# --- what both kinds of pieces are made of ----------------------------------------------------
class Piece:
    """Rows in their order, and what signs them, proved as they come."""

    def __init__(self, demanded):
        self.demanded = demanded
        self.keys, self.texts, self.marks, self.named = {}, {}, [], []
        self.hashes, self.steps_behind = {}, []
        self.first = self.last = self.at_ns = 0
        self.head, self.signed, self.signed_at, self.count = None, 0, 0, 0

    def key(self, said):
        public = from_base64(said["publicKey"])
        if len(public) != 32 or hashlib.sha256(public).hexdigest() != said["name"]:
            raise Flaw(f"key {said['name']}", "its name is not the hash of its bytes")
        self.keys[said["name"]] = public

    def document(self, said):
        if sha256_hex(said["text"]) != said["hash"]:
            raise Flaw(f"document {said['hash']}", "its text was changed")
        self.texts[said["hash"]] = said["kind"]

    def signature(self, where, name, text, signature):
        public = self.keys.get(name)
        if public is None:
            raise Flaw(where, "its key is not there")
        if self.demanded is not None and public != self.demanded:
            raise Flaw(where, "it is signed with another key")
        if not is_signed(public, text.encode(), from_base64(signature)):
            raise Flaw(where, "the signature is not that of its text")

    def mark(self, said):
        where = "mark of the rebuilt journal"
        body = parse(said["body"])
        names = ("firstSeq", "seq", "wallMs", "checkpoints", "signedSeq")
        right = body["type"] == REBUILT_TYPE and all(type(body[name]) is int for name in names)
        if not right or not isinstance(body["missing"], list) or canonical(body) != said["body"]:
            raise Flaw(where, "it is not written as the program writes it")
        if (said["key"] is None) != (said["signature"] is None):
            raise Flaw(where, "its key or its signature is not there")
        self.marks.append({**body, **said, "held": 0})

    def row(self, seq, prev, own, text, step):
        where = f"row {seq}"
        if self.last and seq != self.last + 1:
            raise Flaw(f"row {self.last + 1}", "it is not there")
        if self.head is not None and prev != self.head:
            raise Flaw(where, "it does not follow from the row before")
        if sha256_hex(prev + text) != own:
            raise Flaw(where, "its text does not give its hash")
        said = step["observation"]
        if said["seq"] != seq or not isinstance(step["decisions"], list):
            raise Flaw(where, f"its text is that of row {said['seq']}")
        if any(mark["seq"] == seq - 1 for mark in self.marks) and said["kind"] != "power.boot":
            raise Flaw(where, "no start follows the rows a mark says were put back")
        if said["atNs"] < self.at_ns:
            raise Flaw(where, "its time is before the row before it")
        self.first = self.first or seq
        self.last, self.head, self.at_ns = seq, own, said["atNs"]
        self.hashes[seq] = own
        if len(self.steps_behind) <= CHECKPOINT_ROWS:
            self.steps_behind.append((seq, said["atNs"], why_due(step)))
        if said["kind"] == "power.boot":
            self.named += [(seq, said.get("procedure")), (seq, said.get("table"))]

    def checkpoint(self, said):
        seq = said["seq"]
        where, body = f"checkpoint at row {seq}", parse(said["body"])
        if body.get("type") != CHECKPOINT_TYPE or body.get("seq") != seq:
            raise Flaw(where, "it is not one, or speaks of another row")
        if self.hashes.get(seq) != body["hash"]:
            raise Flaw(where, "it signs another row, or one that is not there")
        self.signature(where, body["key"], said["body"], said["signature"])
        self.named += [(seq, body["procedure"]), (seq, body["table"])]
        self.count += 1
        self.signed = max(seq, self.signed)
        for mark in self.marks:
            mark["held"] += mark["firstSeq"] <= seq <= mark["seq"]
            if seq == mark["seq"] + 1 and mark["signature"] is None:
                raise Flaw(where, "the start behind a rebuilt journal is signed, and its mark is not")

    def check_marks(self):
        for said in self.marks:
            where, seq = "mark of the rebuilt journal", said["seq"]
            if said["signature"] is not None:
                self.signature(where, said["key"], said["body"], said["signature"])
            if self.hashes.get(seq, said["hash"]) != said["hash"]:
                raise Flaw(where, "it speaks of another row")
            is_all_here = self.first <= said["firstSeq"] and said["seq"] <= self.last
            if is_all_here and said["held"] != said["checkpoints"]:
                what = f"{said['checkpoints']} checkpoints were put back, {said['held']} are there"
                raise Flaw(where, what)

    def check_documents(self):
        """What a start or a checkpoint names is here, or a mark says that it was not put back."""
        absent = {}
        for seq, name in self.named:
            if name is None or name in self.texts:
                continue
            if not any(seq <= mark["seq"] and name in mark["missing"] for mark in self.marks):
                raise Flaw(f"document {name}", f"row {seq} names it, and it is not there")
            absent.setdefault(name, seq)
        return [f"not proved: document {name} of row {seq} is absent" for name, seq in absent.items()]

    def demand_signature(self):
        if self.demanded is not None and self.count == 0:
            raise Flaw("checkpoints", "none is signed with the key")

    def missing_checkpoint(self):
        """The first row behind the last checkpoint that ought to carry one, and why."""
        behind = [step for step in self.steps_behind if step[0] > self.signed]
        for number, (seq, at_ns, why) in enumerate(behind, 1):
            if why or at_ns - self.signed_at >= CHECKPOINT_NS or number == CHECKPOINT_ROWS:
                return seq, why or ("5 minutes" if number < CHECKPOINT_ROWS else "1000 rows")
        return None


def why_due(step):
    kind = step["observation"]["kind"]
    if kind in ("power.boot", "power.off"):
        return "a start" if kind == "power.boot" else "a stop"
    for decision in step["decisions"]:
        if decision["do"] == "noted" and decision["part"] == "shoe":
            if decision["set"].get("isLoaded", True) is False:
                return "a shoe's end"
    return None


def in_words(where, work):
    """Whatever a line lacks is damage of that line, not of this program."""
    try:
        return work()
    except RecursionError as error:
        raise Flaw(where, "it is nested too deep") from error
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise Flaw(where, f"it cannot be read: {error!r}") from error


def summary(piece):
    return (
        f"rows {piece.first} to {piece.last} whole, {piece.count} signed checkpoints, "
        f"last {piece.last}:{piece.head}"
    )


# --- lines ------------------------------------------------------------------------------------
class Lines(Piece):
    """Lines of `journal export` (with or without --whole), `floor export`, or MQTT events."""

    def __init__(self, demanded):
        super().__init__(demanded)
        self.whole, self.begins = None, None

    def take(self, said):
        if "hash" in said and "prev" in said:
            step = said.get("step") or {name: said[name] for name in ("decisions", "observation")}
            seq = step["observation"]["seq"]
            if said["seq"] != seq:
                raise Flaw(f"row {said['seq']}", f"its text is that of row {seq}")
            if self.head is None and self.begins is not None:
                self.last, self.head = self.begins[0] - 1, self.begins[1]
            self.row(seq, said["prev"], said["hash"], canonical(step), step)
            # Rows may be many: only what a checkpoint or a mark may still speak of is kept.
            self.hashes = {seq: said["hash"], **self.of_marks(seq, said["hash"])}
            return
        ((kind, body),) = said.items()
        if kind == "checkpoint":
            self.checkpoint(body)
            self.steps_behind, self.signed_at = [], self.at_ns
        elif kind in ("key", "document"):
            getattr(self, kind)(body)
        elif kind not in ("whole", "rebuilt", "pruned", "state") or self.head is not None:
            raise Flaw("a line", f"`{kind}` is not known, or stands behind a row")
        elif kind == "whole":
            if self.whole is not None or body["format"] != WHOLE_FORMAT:
                raise Flaw("first line", "it is not one export of this format")
            self.whole = body
        elif kind == "rebuilt":
            self.mark(body)
        elif kind == "pruned":
            self.begins = (body["seq"], body["prev"])

    def of_marks(self, seq, own):
        known = {mark["seq"]: self.hashes.get(mark["seq"]) for mark in self.marks}
        return {at: own if at == seq else held for at, held in known.items() if held or at == seq}


def check_lines(path, demanded):
    lines = Lines(demanded)
    with open(path, encoding="utf-8", newline="\n") as file:
        number = 0
        while True:
            text = in_words(f"line {number + 1}", lambda: file.readline(MAX_LINE + 1))
            if text == "":
                break
            if len(text) > MAX_LINE:
                raise Flaw(f"line {number + 1}", f"it is longer than {MAX_LINE} characters")
            number += 1
            if text.strip():
                in_words(f"line {number}", lambda: lines.take(parse(text)))
    if lines.last == 0 or lines.head is None:
        raise Flaw("rows", "there are none")
    whole = lines.whole
    if whole is not None:
        ends = (lines.first, lines.last, lines.head)
        if (whole["fromSeq"], whole["toSeq"], whole["hash"]) != ends:
            raise Flaw("first line", "the rows are not those it speaks of: the file was cut short")
    lines.check_marks()
    lines.demand_signature()
    said = [summary(lines)]
    if whole is None:
        said.append("rows alone: nothing here says which come before and behind them")
    unproved = lines.check_documents() if whole is not None else []
    missing = lines.missing_checkpoint() if lines.signed else None
    if lines.signed < lines.last:
        first = max(lines.first, lines.signed + 1)
        said.append(f"rows {first} to {lines.last} are not signed here")
    if missing:
        what = f"no checkpoint signs row {missing[0]}: one was due ({missing[1]})"
        if demanded is not None and not lines.marks:
            raise Flaw(f"row {missing[0]}", what)
        (unproved if demanded is not None else said).append(what)
    return said + unproved, 1 if unproved else 0


# --- evidence files ---------------------------------------------------------------------------
ORDER = ("head", "rebuilt", "key", "document", "checkpoint", "row", "seal")


def read_data(data, first_line):
    """The data lines by kind, each written as the program writes it, and the lines without seal."""
    parts, lines, kind_before = {name: [] for name in ORDER}, [], "head"
    for number, written in enumerate(data.split("\n"), first_line):
        where = f"line {number}"
        said = in_words(where, lambda: parse(written))
        text = in_words(where, lambda: canonical(said))
        if text.replace("<", "\\u003c") != written:
            raise Flaw(where, "it is not written as the program writes it")
        if not isinstance(said, dict) or len(said) != 1 or next(iter(said)) not in ORDER:
            raise Flaw(where, "it is none of the lines of evidence")
        kind = next(iter(said))
        if ORDER.index(kind) < ORDER.index(kind_before):
            raise Flaw(where, f"`{kind}` stands behind `{kind_before}`")
        kind_before = kind
        parts[kind].append(said[kind])
        if kind != "seal":
            lines.append(text)
    if len(parts["head"]) != 1 or len(parts["seal"]) != 1:
        raise Flaw("heading or seal", "it is not there, or twice")
    return parts, lines


def take_parts(piece, parts):
    head = parts["head"][0]
    if head["format"] != EVIDENCE_FORMAT:
        raise Flaw("heading", f"its format is not {EVIDENCE_FORMAT}")
    for kind in ("rebuilt", "key", "document"):
        take = {"rebuilt": piece.mark, "key": piece.key, "document": piece.document}[kind]
        for number, said in enumerate(parts[kind], 1):
            in_words(f"{kind} {number}", lambda: take(said))
    piece.head = head["prev"]
    for number, said in enumerate(parts["row"], 1):
        text = said["body"]
        step = in_words(f"row line {number}", lambda: parse(text))
        in_words(
            f"row line {number}",
            lambda: piece.row(said["seq"], said["prev"], said["hash"], text, step),
        )
    if not parts["row"]:
        raise Flaw("rows", "there are none")
    for number, said in enumerate(parts["checkpoint"], 1):
        in_words(f"checkpoint {number}", lambda: piece.checkpoint(said))
    signed = {said["seq"] for said in parts["checkpoint"]}
    for claim, seq in ((head["startSigned"], piece.first), (head["endSigned"], piece.last)):
        if claim and seq not in signed:
            raise Flaw(f"checkpoint at row {seq}", "it is not there")


def check_seal(piece, seal, lines):
    """Whether the device sealed it; a digest alone proves nothing."""
    if sha256_hex("\n".join(lines)) != seal["digest"]:
        raise Flaw("heading or seal", "the data do not give their digest")
    if (seal["key"] is None) != (seal["signature"] is None):
        raise Flaw("seal", "its key or its signature is not there")
    if seal["key"] is None:
        return False
    piece.signature("seal", seal["key"], f"{EVIDENCE_FORMAT} {seal['digest']}", seal["signature"])
    return True


def check_evidence(text, demanded):
    start = text.find(OPEN)
    end = text.find(CLOSE, start)
    if start < 0 or end < 0:
        raise Flaw("file", "it holds no evidence data")
    first_line = text.count("\n", 0, start + len(OPEN)) + 1
    parts, lines = read_data(text[start + len(OPEN) : end], first_line)
    head, seal, piece = parts["head"][0], parts["seal"][0], Piece(demanded)
    in_words("data", lambda: take_parts(piece, parts))
    in_words("mark of the rebuilt journal", piece.check_marks)
    unproved = piece.check_documents()
    piece.demand_signature()
    sealed = in_words("seal", lambda: check_seal(piece, seal, lines))
    if in_words("report", lambda: sha256_hex(text[:start] + text[end + len(CLOSE) :])) != head["report"]:
        raise Flaw("report", "it was changed")
    said = [summary(piece)]
    if piece.signed < piece.last:
        said.append(f"rows {max(piece.first, piece.signed + 1)} to {piece.last} are not signed here")
    if sealed:
        said.append(f"sealed by the key {seal['key']}: the report is as it was exported")
    else:
        unproved.append(
            "not proved: the report is not sealed; the rows are whole, what is printed about them "
            "can be checked by `cutcard evidence verify` of the version that wrote it"
        )
    return said + unproved, 1 if unproved else 0


def kind_of(path):
    """`evidence`, `lines`, or None where the file begins like neither."""
    with open(path, "rb") as file:
        start = file.read(65_536).lstrip()
    if start.startswith(b"<"):
        return "evidence"
    return "lines" if start.startswith(b"{") else None


def check_piece(path, kind, demanded):
    """What to say, and the exit code."""
    try:
        if kind == "lines":
            return check_lines(path, demanded)
        with open(path, encoding="utf-8", newline="") as file:
            text = in_words("file", file.read)
        return check_evidence(text, demanded)
    except Flaw as flaw:
        return [str(flaw)], 1
    except OSError as error:
        return [f"{path}: cannot be read: {error}"], 2
