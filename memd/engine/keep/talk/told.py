"""Take from the turns of a conversation the statements that can stand by themselves, in the words they need for that.

Of a user's turn every statement that tells something, as text/statements.py cuts it; of an agent's only a finding, or
what the user confirms. A short answer is joined with its question, a pronoun that is proved becomes the name, a correction takes
the place of what it corrects, and times have their dates behind them. What tools and the system say gives nothing, nor
what is handed over, quoted, played or off the record. What is worth keeping, secret or an order is judged by others.

Units
    Turns are read once, in their order; of each the first READ_CHARS. What is remembered on the way is the last WINDOW turns' persons
    and the last FAR statements, so that the work grows with the turns alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo

from memd.engine.keep.guard.asking import asked_in, is_piece_of
from memd.engine.keep.guard.wishes import forgets_last, forgotten_among, read_prompt, those_about
from memd.engine.keep.talk import own
from memd.engine.keep.talk.amendments import (
    REACH,
    amended,
    corrected_within,
    correction_of,
    is_mark_alone,
    is_own,
    points_at,
    sets_anew,
)
from memd.engine.keep.talk.held import (
    NOTHING,
    Heard,
    Held,
    Last,
    Quiet,
    as_told,
    before_rest,
    short,
    time_of,
    why_not_lasting,
    why_not_told,
)  # fmt: skip
from memd.engine.keep.talk.own import Record, findings
from memd.engine.keep.talk.passing import is_of_request, is_passing, proposes, without_laugh
from memd.engine.keep.talk.persons import Person, is_unnamed, named_for, persons_of
from memd.engine.keep.talk.questions.answers import (
    Joined,
    as_told_by_agent,
    in_context,
    join,
    only_question,
    points_at_nothing,
    questions_of,
)
from memd.engine.keep.talk.questions.own_question import told_beside_asking
from memd.engine.keep.talk.redated import told_anew
from memd.engine.keep.talk.supposed import is_symptom
from memd.formats.times import zone_of
from memd.model.sessions import LetGo, Told, Turn
from memd.text import expressions as re
from memd.text.borders import asks, stands, tells
from memd.text.characters import fingerprint
from memd.text.statements import READ_CHARS, Statement, statements
from memd.text.story import remark_of

WINDOW = 8  # turns that are looked at for who somebody is
FAR = 40  # statements back that may have the day that somebody denies
AFTER_CHARS = 200  # before a statement that are told with it

USER, AGENT = "user", "agent"
_SPEAKERS = {"user": USER, "human": USER, "assistant": AGENT, "agent": AGENT}
_FORGETS = re.compile(r"forget|erase|delete|remove|忘|删", re.IGNORECASE)
_END = re.compile(r"[.!?。！？…\n]\W*\Z")


def told_in(turns: Iterable[Turn], zone: str) -> list[Told]:
    """Return the statements of a conversation, in the order they were settled; `zone` is the scene's, "" the system's own.

    ValueError where it is no zone. Of what is said twice the first stands.
    """
    at = zone_of(zone)
    turns = list(turns)
    remarks = {
        one.number
        for one in turns
        if _SPEAKERS.get(one.speaker.casefold()) == USER and remark_of(one.text[:READ_CHARS])
    }
    held = _walked(turns, at).held
    goes_on = [n > 0 and one is not None and one.follows and held[n - 1] is not None for n, one in enumerate(held)]
    said = (one._replace(follows=goes_on[n]) for n, one in enumerate(held) if one is not None)
    return [as_told(one, at)._replace(own=one.turn in remarks) for one in said]


def unheard_in(turns: Iterable[Turn]) -> set[int]:
    """Return the numbers of the turns that are off the record, played or taken back, and of what an agent answers to those."""
    return _walked(turns).unheard


def let_go_in(turns: Iterable[Turn], zone: str) -> list[LetGo]:
    """Return the statements of the user that tell nothing that lasts, in order, each with the reason; `zone` as for `told_in`."""
    return [one for one in _walked(turns, zone_of(zone)).gone if one.why != NOTHING]


def _walked(turns: Iterable[Turn], zone: tzinfo | None = None) -> _Walk:
    walk = _Walk(zone)
    for turn in turns:
        walk.take(turn)
    return walk


@dataclass
class _Walk:
    """What is known between one turn and the next. `held`: None where a statement was taken back."""

    zone: tzinfo | None = None
    held: list[Held | None] = field(default_factory=list)
    unheard: set[int] = field(default_factory=set)  # numbers of turns
    gone: list[LetGo] = field(default_factory=list)
    _order: list[int] = field(default_factory=list)  # numbers of the user's last turn and of the agent's since
    _keys: dict[str, int] = field(default_factory=dict)
    _persons: deque[tuple[int, list[Person]]] = field(default_factory=lambda: deque(maxlen=WINDOW))
    _heard: Heard = field(default_factory=Heard)
    _found_in: list[int] = field(default_factory=list)  # places in held of what the agent's last turn stated
    _quiet: Quiet = field(default_factory=Quiet)
    _corrects: bool = False  # "no wait" stood alone: what follows corrects
    _last: Last = field(default_factory=Last)

    @property
    def _last_user(self) -> int:
        """The number of the user's last turn, -1 before the first."""
        return self._order[0] if self._order else -1

    def take(self, turn: Turn) -> None:
        """Read one more turn."""
        speaker = _SPEAKERS.get(turn.speaker.casefold(), "")
        if speaker == USER:
            self._take_user(turn)
            self._order = [turn.number]
            return
        if self._quiet.now:
            self.unheard.add(turn.number)
        if speaker == AGENT:
            self._order.append(turn.number)
            self._take_agent(turn)

    # --- the agent

    def _take_agent(self, turn: Turn) -> None:
        self._heard, self._found_in = Heard(turn=turn.number), []
        if self._quiet.now:
            self._quiet.reply = False
            return
        text = turn.text[:READ_CHARS]
        said = own.own_text(text)
        for finding in findings(said):
            self._hold(Held(as_told_by_agent(finding), AGENT, turn.number, turn.at_s, (turn.number,)))
            if self.held and self.held[-1] and self.held[-1].turn == turn.number:
                self._found_in.append(len(self.held) - 1)
        questions = (one._replace(form=self._named(one.form, turn)[0]) for one in questions_of(said))
        self._heard = Heard(tuple(questions), only_question(said), turn.number)
        self._last = Last(text, proposes(said))
        self._persons.append((turn.number, persons_of(said, turn.number)))

    # --- the user

    def _take_user(self, turn: Turn) -> None:
        heard, self._heard = self._heard, Heard(turn=self._heard.turn)
        text, earlier = turn.text[:READ_CHARS], self._last
        self._corrects, self._last = False, earlier._replace(text="")
        if self._is_unheard(text):
            self.unheard.add(turn.number)
            return
        text = self._forgets(text)
        said = reply = own.own_text(text)
        self._last = earlier
        if joined := None if is_own(said) else self._answer(heard, said):
            self._hold_joined(turn, joined)
            said = joined.rest
        persons: list[Person] = []
        self._persons.append((turn.number, persons))
        asked = list(asked_in(said))
        for piece in asked:
            self._hold(Held(piece, USER, turn.number, turn.at_s, (turn.number,), asked=True))
        cut = statements(said)
        wants = any(one.request or one.question for one in cut)
        ordered = False
        follows = joined is not None and bool(joined.text) and not _END.search(before_rest(reply, said))
        for one in cut:
            held, before = len(self.held), f"{before_rest(reply, said)}{said[: one.begin]}"
            self._last = earlier._replace(text=f"{earlier.text}\n{before}")
            instead = "" if one.handed else own.instead_of_it(one.text)
            if own.takes_back(one.text) or instead:
                self._take_back_last(turn, said, cut, one, instead)
            elif not any(is_piece_of(one.text, piece) for piece in asked) and not is_symptom(
                one.text, beside_request=wants
            ):
                behind = told_beside_asking(one.text)
                part = one._replace(text=behind, request=False, question=False) if behind else one
                part = part._replace(request=part.request or (ordered and is_of_request(part.text)))
                raw = behind or said[one.begin : one.end].strip()
                self._take_statement(turn, part, raw, before, follows=follows)
            ordered = one.request or (ordered and len(self.held) == held)
            follows = len(self.held) > held and not _END.search(said[one.begin : one.end])
            persons.extend(persons_of(one.text, turn.number) if not one.handed else ())
        self._last = earlier._replace(text=text)

    def _answer(self, heard: Heard, said: str) -> Joined | None:
        """Return what a turn answers of what the agent asked, None where it answers nothing."""
        joined = join(heard.questions, said, self._before())
        # Behind a no without words of its own, "changed to skipping" is no request.
        if heard.only and (joined is None or (not joined.text and is_passing(joined.rest.strip()))):
            beside = in_context(heard.only, said)
            joined = beside._replace(denies=joined is not None and joined.denies) if beside else joined
        return joined

    def _is_unheard(self, text: str) -> bool:
        """Tell whether a turn gives nothing: it is played, or off the record, or takes back what was said."""
        if self._quiet.playing or own.begins_playing(text):
            self._quiet.playing = not own.stops_playing(text)
            return self._quiet.playing or not own.own_text(text)
        record = own.record_of(text)
        if self._quiet.off and record is not Record.AGAIN:
            return True
        self._quiet.off = record is Record.ONWARD
        if record in (Record.BEFORE, Record.OFF, Record.ONWARD):
            self._quiet.reply = True
            if record is Record.BEFORE:
                self._take_back(self._last_user)
            return True
        if own.takes_back(text):
            self._take_back(self._last_user)
            return True
        return False

    def _forgets(self, text: str) -> str:
        """Take back all that a turn wants forgotten; return what else it says."""
        read = read_prompt(text) if _FORGETS.search(text) else None
        if read is None:
            return text
        subjects, last = forgotten_among(read.wishes), forgets_last(read.wishes)
        if last:
            self._take_back(self._last_user)
        for subject in subjects:
            mine = [(at, one) for at, one in enumerate(self.held) if one is not None and one.source == USER]
            for place, one in [mine[at] for at in those_about([one.text for _, one in mine], subject, nearly=True)]:
                self.unheard.add(one.turn)
                self._drop(place)
        return read.rest if subjects or last else text

    def _take_statement(self, turn: Turn, one: Statement, raw: str, before: str = "", *, follows: bool) -> None:
        if is_mark_alone(one.text or raw):
            self._corrects = True
            return
        if own.is_of_the_record(one.text) or (not (one.question or one.handed) and self._redate(turn, before, raw)):
            return
        if one.request and sets_anew(raw) and self._amend(turn, raw):
            return
        if why := why_not_told(one):
            self._let_go(turn, one.text or raw, why)
            return
        said = f"wait, {raw}" if self._corrects else raw
        self._corrects = False
        if self._amend(turn, said):
            return
        if why := why_not_lasting(one.text, proposed=self._last.proposed):
            self._let_go(turn, one.text, why)
            return
        meant = corrected_within(one.text)
        text, proof = self._named(without_laugh(meant if stands(meant) else one.text), turn)
        if is_unnamed(text) and self.held and self.held[-1] and self.held[-1].turn == turn.number:
            text, follows = text[:1].lower() + text[1:], True
        if stands(text):
            self._hold(Held(text, USER, turn.number, turn.at_s, (*proof, turn.number), follows=follows))

    def _named(self, text: str, turn: Turn) -> tuple[str, tuple[int, ...]]:
        """Return a statement whose pronoun is a name where that is proved, and the turn that proves it."""
        known = [one for _, persons in self._persons for one in persons]
        text, named_in = named_for(text, known)
        return text, (named_in,) if named_in and named_in != turn.number else ()

    def _redate(self, turn: Turn, before: str, raw: str) -> bool:
        """Let a day that is told anew take the place of an older statement's; tell whether it did, or was given to something else."""
        first = max(0, len(self.held) - FAR)
        older = [
            (place, one)
            for place, one in enumerate(self.held[first:], first)
            if one is not None and one.source == USER and one.turn != turn.number
        ]
        found = told_anew(raw, before, [(one.text, time_of(one.at_s, self.zone)) for _, one in older])
        if found is None or asks(raw):
            return False
        if found.place >= 0:
            place, was = older[found.place]
            self._drop(place)
            proof = (*sorted({*was.proof} - {turn.number}), turn.number)
            self._hold(was._replace(text=found.text, turn=turn.number, at_s=turn.at_s, proof=proof, follows=False))
        if stands(found.beside):
            self._hold(Held(found.beside, USER, turn.number, turn.at_s, (turn.number,)))
        return True

    def _amend(self, turn: Turn, raw: str) -> bool:
        """Let a statement take the place of what it corrects; tell whether it did, or says nothing else."""
        correction = correction_of(raw)
        if correction is None:
            return False
        places = [n for n in range(max(0, len(self.held) - REACH), len(self.held)) if self.held[n] is not None]
        older = [one for n in places if (one := self.held[n]) is not None]
        just_said = bool(older) and older[-1].turn in (turn.number, self._last_user)
        found = amended(correction, [one.text for one in older], just_said=just_said)
        if found is None:
            if correction.weak:
                return False
            if (correction.new and not tells(correction.new)) or not stands(correction.text) or sets_anew(raw):
                return True  # a value alone, and nothing that it fits
            text, proof = self._named(correction.text, turn)
            self._hold(Held(text, USER, turn.number, turn.at_s, (*proof, turn.number)))
            return True
        n, text = found
        before = older[n]
        self._drop(places[n])
        text, proof = self._named(text, turn) if text == correction.text else (text, before.proof)
        proof = (*sorted({*proof, *before.proof} - {turn.number}), turn.number)
        self._hold(Held(text, USER, turn.number, turn.at_s, proof, before.asked))
        return True

    def _hold_joined(self, turn: Turn, joined: Joined) -> None:
        if joined.denies:
            for place in self._found_in:
                self._drop(place)
        if not joined.text or (not joined.extends and points_at_nothing(joined.text)):
            return
        proof: tuple[int, ...] = (self._heard.turn, turn.number)
        if joined.extends:
            older = self.held[-1]  # what _before gave
            proof = (*(older.proof if older is not None else ()), *proof)
            self._drop(len(self.held) - 1)
        text, named = self._named(joined.text, turn)
        self._hold(Held(text, USER, turn.number, turn.at_s, tuple(sorted({*named, *proof}))))

    # --- what is held

    def _before(self) -> str:
        """Return the last statement of the user's last turn."""
        last = self.held[-1] if self.held else None
        return last.text if last is not None and last.turn == self._last_user and last.source == USER else ""

    def _hold(self, one: Held) -> None:
        text = short(one.text)
        key = fingerprint(text)
        if not key or key in self._keys:
            place = self._keys.get(key)
            known = self.held[place] if place is not None else None
            if known is not None and place is not None and one.asked and not known.asked:
                self.held[place] = known._replace(asked=True)
            return
        self._keys[key] = len(self.held)
        self.held.append(one._replace(text=text, after=" ".join(self._last.text[-AFTER_CHARS:].split())))

    def _let_go(self, turn: Turn, text: str, why: str) -> None:
        self.gone.append(LetGo(short(text), turn.number, why))

    def _drop(self, place: int) -> None:
        one = self.held[place]
        if one is not None:
            self._keys.pop(fingerprint(one.text), None)
            self.held[place] = None

    def _take_back(self, turn: int) -> None:
        """Drop what a turn of the user gave, and what was answered to it."""
        self.unheard.update(self._order)
        for place in range(len(self.held) - 1, -1, -1):
            one = self.held[place]
            if one is not None and one.turn < turn:
                return
            if one is not None and one.turn == turn and one.source == USER:
                self._drop(place)

    def _take_back_last(self, turn: Turn, said: str, cut: Sequence[Statement], one: Statement, instead: str) -> None:
        """Drop what a joke takes back; `instead`: what is so, as it says behind it."""
        if points_at(instead):  # "just kidding, it's Rex" corrects
            self._amend(turn, f"wait, {instead}")
            return
        meant = own.meant_by_joke(said, cut, one)
        last = self.held[-1] if self.held and meant is not own.Meant.QUESTION else None
        if last is not None and last.turn == turn.number:
            self.unheard.add(turn.number)
            self._drop(len(self.held) - 1)
        elif meant is own.Meant.BEFORE:
            self._take_back(self._last_user)
        if instead and not own.only_denies(instead):
            self._take_statement(turn, one._replace(text=instead), instead, follows=False)
