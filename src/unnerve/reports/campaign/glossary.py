"""What the words of a campaign's report mean, one line each."""

from unnerve.campaign.plan import StoredPlan
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.parts.campaigns import class_names
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import count
from unnerve.reports.parts.oracles import oracle_words
from unnerve.reports.parts.phrases import listed
from unnerve.reports.parts.regions import region_words
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["budget_words", "campaign_glossary", "campaign_steps", "seeds_words"]

_MUCH = 0.9
"""Of its budget: who spent less must be able to say why."""

_OF_ERRORS = (
    Term(
        "broken",
        "Fail, broken",
        "A seed fails, or is broken, if at least one error was found from it. One that does not is not proven to "
        "be safe.",
    ),
    Term(
        "kinds",
        "Kinds of errors",
        "Distinct wrong classes per seed, summed over seeds (error categories). A seed that becomes a 3 in a "
        "hundred ways counts once; one that becomes a 3 and an 8 counts twice.",
    ),
    Term(
        "errors",
        "Errors",
        "Distinct failing inputs. Failing picks count repeated ones too, as the papers do.",
    ),
)
_OF_RUNS = (
    Term(
        "queries",
        "Queries",
        "One forward pass of one input, or one backward pass. Judging is free.",
    ),
    Term(
        "coverage",
        "Coverage",
        "The share of what a criterion asks of the neurons that some input meets. A gain is what the findings of a "
        "method meet and the seeds do not.",
    ),
    Term("confidence", "Confidence", "The probability that the model gives to the class it answers."),
    Term("margin", "Margin", "How clearly the answer is wrong, in logits."),
    Term(
        "time",
        "Time",
        "Wall clock of all shards, summed over workers. Curves over seconds are those over queries, times the "
        "method\u2019s mean time per query.",
    ),
)


def campaign_steps(evidence: Evidence) -> tuple[str, ...]:
    """Return in words how the campaign went; of the first, if there are several."""
    campaign = evidence.campaigns[0]
    plan = campaign.plan
    where = region_words(plan.region, evidence.shape)
    keep = "goes on for further kinds of errors" if plan.keep_going else "stops there"
    rounding = " They are rounded to 8 bits before they are judged." if plan.quantised else ""
    return (
        f"Seeds: {_seeds(evidence, campaign)}.",
        f"Hunt: from every seed each method proposes changed {evidence.noun} {where} "
        f"({printable(plan.region.text)}), with {budget_words(campaign)}.{_left_over(evidence)} After a seed\u2019s "
        f"first error it {keep}.",
        "Judge: only what fails again counts. Each proposal is turned into the bytes that would be stored and read "
        "back; it must lie inside the region, and the model is asked again. It is an error if "
        f"{oracle_words(campaign.plan.oracle, class_names(campaign))}.{rounding}",
        "Intervals are 95 %, over the seeds: exact for the share of seeds broken; for means with what no seed has "
        "shown yet taken into account; for differences in pairs, over the seeds that both methods hunted. A difference "
        "is significant if its interval leaves zero out.",
    )


def budget_words(campaign: Campaign) -> str:
    """Return what each seed may cost."""
    plan = campaign.plan
    if plan.queries is None:
        return "as many queries as the method asks for"
    again = "; a method that ends earlier starts again, if it draws random numbers" if plan.again else ""
    return f"at most {count(plan.queries, 'queries')} per seed and method{again}"


def seeds_words(plan: StoredPlan, noun: str, width: int) -> str:
    """Return how many seeds there are and where they come from; the data's name is cut to a width."""
    looked_at = plan.data.details.get("looked_at")
    looked = f" ({count(int(looked_at))} looked at)" if looked_at is not None else ""
    looked = " (the most suspect first)" if plan.data.details.get("ordered") else looked
    return f"{count(plan.seeds, noun)} of {display_name(plan.data.name, width)}{looked}"


def campaign_glossary(evidence: Evidence) -> tuple[Term, ...]:
    """Return the meaning of every figure on the page."""
    what = evidence.noun
    decibels = "; dB below the clip: how much quieter it is than its clip" if what == "clips" else ""
    seeds = Term(
        "seeds",
        "Seeds",
        f"The {what} that the hunt starts from: the first correctly classified ones in the data\u2019s order (or "
        "simply the first, without labels). Accuracy is that of all that were looked at to find them.",
    )
    change = Term(
        "change",
        "Change",
        "L2: Euclidean distance from the seed; Linf: largest change of a value; L0: how many "
        f"{'pixels' if what == 'images' else 'values'} differ{decibels}. The smallest change is the smallest "
        "known, by halving the way from the seed to its surest finding, not the smallest there is.",
    )
    return (seeds, *_OF_ERRORS, change, *_OF_RUNS)


def _left_over(evidence: Evidence) -> str:
    """Return which methods of the first campaign left much of their budget, and why: empty if none did."""
    campaign = evidence.campaigns[0]
    plan = campaign.plan
    if not plan.again or plan.queries is None:
        return ""
    least = {label: one.least for label, one in zip(plan.labels, plan.methods, strict=True) if one.scope == "seed"}
    ended: list[str] = []
    short: list[str] = []
    for label, tally in campaign.tallies.items():
        # Where a hunt stops at an error, its budget is left over for another reason.
        spent = max(
            (one.queries for one in tally.seeds if one.failed is None and (plan.keep_going or not one.errors)),
            default=0,
        )
        step, said = least.get(label), f"{display_name(label, 40)} (after {count(spent, 'queries')})"
        if step is not None and 0 < spent <= _MUCH * plan.queries:
            # Who draws random numbers goes on until not even one step can be paid.
            (ended if spent + step <= plan.queries else short).append(said)
    words = [f"{listed(ended)} {'ends' if len(ended) == 1 else 'end'} once, for want of random numbers."] * bool(ended)
    words += [f"{listed(short)} had too few queries left for another step."] * bool(short)
    return "".join(f" {one}" for one in words)


def _seeds(evidence: Evidence, campaign: Campaign) -> str:
    plan = campaign.plan
    looked_at = plan.data.details.get("looked_at")
    looked = f"; {count(int(looked_at))} were looked at for them" if looked_at is not None else ""
    right = "correctly classified " if len(evidence.truths) and (evidence.truths >= 0).all() else ""
    data = display_name(plan.data.name, 80)
    return f"{count(plan.seeds)} {right}{evidence.noun} of {data}{looked}"
