"""Reads instances of the stable roommates problem as JSON from stdin: a list of lists of preferences, everyone ranking
everyone else. Prints for each the partners that PyPI's `matching` finds, or null without a stable matching."""
import json
import sys
import warnings

from matching.games import StableRoommates

warnings.simplefilter("ignore")


def solve(preferences):
    game = StableRoommates.create_from_dictionary(dict(enumerate(preferences)))
    partners = {one.name: other.name if other else None for one, other in game.solve().items()}
    found = [partners.get(person) for person in range(len(preferences))]
    return None if None in found else found


print(json.dumps([solve(instance) for instance in json.load(sys.stdin)]))
