// An assertion for promptfoo: scores an output by a task that `scoring serve` serves.
//
//   assert:
//     - type: javascript
//       value: file://promptfoo.cjs
//       config: {url: 'http://127.0.0.1:8030', task: invoices, reference: '{{…}}'}   # all optional, see below
//
// config: url, task (where several are served), reference and id (names of vars, "reference" and "id" unless told
// otherwise), references_as ("json": the var holds JSON text), threshold (passes from this score on, where the task
// itself says nothing of passing). A token is read from SCORING_SERVE_TOKEN.
//
// An output without a score is no 0: its namedScores have `counted: 0`, so that `score / counted` of promptfoo's
// derivedMetrics is the mean of those that have one. The webhook of promptfoo drops namedScores; this keeps them.

const STATUSES = ['scored', 'unscored', 'unparsed', 'not_applicable'];
const BUSY = [429, 503];

async function ask(url, body, tries = 20) {
  const headers = { 'content-type': 'application/json' };
  if (process.env.SCORING_SERVE_TOKEN) headers.authorization = `Bearer ${process.env.SCORING_SERVE_TOKEN}`;
  for (let left = tries; ; left -= 1) {
    let reply;
    try {
      reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    } catch (error) {
      if (left <= 0) throw new Error(`scoring serve can't be reached at ${url}: ${error.cause?.message ?? error.message}`);
    }
    if (reply?.ok) return reply.json();
    if (reply && (left <= 0 || !BUSY.includes(reply.status))) {
      const told = await reply.json().catch(() => ({}));
      throw new Error(`scoring serve refused this (${reply.status}): ${told.error ?? reply.statusText}`);
    }
    const wait = Number(reply?.headers.get('retry-after')) || 0.5;
    await new Promise((done) => setTimeout(done, wait * 1000));
  }
}

module.exports = async (output, context) => {
  const config = context.config ?? {};
  const vars = context.vars ?? {};
  const path = config.task ? `/tasks/${config.task.split('/').map(encodeURIComponent).join('/')}/score` : '/score';
  const query = config.references_as ? `?references_as=${encodeURIComponent(config.references_as)}` : '';
  const row = { response: output ?? null, record: vars };
  const reference = config.reference ?? 'reference';
  if (reference in vars) row.reference = vars[reference];
  if (vars[config.id ?? 'id'] !== undefined) row.id = vars[config.id ?? 'id'];

  const found = await ask(`${config.url ?? 'http://127.0.0.1:8030'}${path}${query}`, row);
  // The spec may give what can't be parsed a score that counts; a mark of what is not applicable does not.
  const counts = (outcome) => outcome.score !== null && outcome.status !== 'not_applicable';
  const counted = counts(found);
  const namedScores = { score: counted ? found.score : 0, counted: Number(counted) };
  for (const status of STATUSES) namedScores[status] = Number(found.status === status);
  for (const [name, field] of Object.entries(found.fields ?? {})) {
    if (counts(field)) namedScores[`field.${name}`] = field.score;
  }
  const passes = found.passed ?? (counted && (config.threshold === undefined || found.score >= config.threshold));
  return {
    pass: passes,
    score: counted ? found.score : 0,
    reason: `${found.status}${found.reason ? `: ${found.reason}` : ''} (${found.task}, ${found.meaning})`,
    namedScores,
  };
};
