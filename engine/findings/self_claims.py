"""What earlier claims say of judges and their own answers."""

from collections.abc import Sequence

from engine.conclusions import side_of
from engine.findings.claims import Claim
from engine.findings.rule import RuleContext


def group_claims(context: RuleContext, of: str = "all") -> list[Claim]:
    """Return the claim that the judges as a group rate their own, or their families', answers too high."""
    field = "conclusion" if of == "all" else "family_conclusion"
    claims = [claim for claim in context.claims(rule="group") if claim.id == f"group:{of}"]
    return [claim for claim in claims if side_of(claim.rows[0][field]) > 0]


def is_about_itself(claim: Claim) -> bool:
    return claim.rule not in ("relatives", "group") and not is_against(claim)


def is_against(claim: Claim) -> bool:
    """Return whether a scorecard claim says that a judge rates itself, or its family, too low."""
    field = "family_conclusion" if claim.rule == "relatives" else "conclusion"
    return bool(claim.rows) and str(claim.rows[0].get(field)).startswith(("disfavours", "underrates"))


def judges_of(claims: Sequence[Claim], apart_from: Sequence[str] = ()) -> list[str]:
    """Return the judges that claims are about, in their order."""
    names = dict.fromkeys(str(claim.at["judge"]) for claim in claims)
    return [name for name in names if name not in apart_from]
