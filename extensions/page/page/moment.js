// The state of a run after some of its events, for the replay.

/** Return the bundle with its first `count` events, and only facts known at that time. */
export function at(bundle, count) {
  const seen = bundle.timeline.slice(0, count);
  if (seen.length === bundle.timeline.length) return bundle;
  const turns = seen.filter((event) => event.kind === "played").length;
  const contract = contractAt(bundle, seen, turns);
  return {
    ...bundle,
    timeline: seen,
    contract,
    escrow: contract && bundle.escrow && escrowAt(bundle.escrow, turns),
    matrix: bundle.matrix && matrixAt(bundle.matrix, seen),
    plan: bundle.plan && {
      turns: bundle.plan.turns.slice(0, turns),
      payoffs: seen.some((event) => event.kind === "signed") ? bundle.plan.payoffs : null,
    },
    outcome: null,
    credit: null,
    private: null,
    ledger: { lines: [], balances: {} },
  };
}

function contractAt(bundle, seen, turns) {
  const signed = seen.findLast((event) => event.kind === "signed");
  if (!signed) return null;
  const { contract } = bundle;
  return {
    ...contract,
    judge: null,
    hash: signed.hash,
    previous: signed.previous,
    signatures: signed.by,
    clauses: contract.clauses
      .filter((clause) => clause.from_turn <= signed.turn)
      .map((clause) => ({
        ...clause,
        to_turn: clause.to_turn < signed.turn ? clause.to_turn : null,
        turns: clause.turns.slice(0, turns),
      })),
  };
}

function escrowAt(escrow, turns) {
  const parties = escrow.parties.map((party) =>
    party.is === "forfeited" && party.turn <= turns ? party : { ...party, is: "held", to: {} },
  );
  const held = parties.filter((party) => party.is === "held").length * escrow.deposit;
  return { ...escrow, held, parties };
}

function matrixAt(matrix, seen) {
  const played = seen.filter((event) => event.kind === "played").map((event) => event.actions);
  const same = (one, other) => Object.keys(one).every((agent) => one[agent] === other[agent]);
  return {
    ...matrix,
    cells: matrix.cells.map((cell) => ({
      ...cell,
      times: played.filter((actions) => same(cell.play, actions)).length,
    })),
  };
}
