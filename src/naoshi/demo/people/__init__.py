"""The people of the demo: practitioners who correct, triagers and reviewers who answer by number."""

from naoshi.demo.people.believing_everything import believing_everything
from naoshi.demo.people.kept_out import kept_out
from naoshi.demo.people.practitioners import PractitionersWork, WrongKind, corrections_of
from naoshi.demo.people.scripted_people import ScriptedPeople

__all__ = ["PractitionersWork", "ScriptedPeople", "WrongKind", "believing_everything", "corrections_of", "kept_out"]
