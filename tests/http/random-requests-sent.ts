import { expect } from 'chai'
import { converse, type Pieces, pour } from '../support/exchange.ts'
import type { IsHead, StrictAnswer } from '../support/strict-answers.ts'
import { type Names, piecesOf } from './random-requests-bytes.ts'
import { type Batch, endsConnection, isWhole } from './random-requests-plans.ts'

/**
 * All responses to a batch. Each whole request must get exactly one. Other requests may get any number.
 *
 * @param id begins the request ids of the batch
 * @param validate throws when a response breaks a rule
 */
export const answersTo = async (
  { travel, plans }: Batch,
  port: number,
  names: Names,
  id: string,
  validate: (answer: StrictAnswer) => void,
): Promise<ReadonlyArray<StrictAnswer>> => {
  const all = plans.map((plan, index) => ({
    pieces: piecesOf(plan, { ...names, values: { ...names.values, id: `${id}-${index}` } }),
    // The parser’s refusals have a body, even if the request looked like a HEAD.
    isHead: !isWhole(plan) || plan.method === 'HEAD' ? ('perhaps' as const) : false,
    isWhole: isWhole(plan),
  }))
  type One = (typeof all)[number]
  const [whole, broken] = [all.filter((one) => one.isWhole), all.filter((one) => !one.isWhole)]
  const isHeadOf =
    (some: ReadonlyArray<One>): IsHead =>
    (index) =>
      some[index]?.isHead ?? 'perhaps'
  const ask = (some: ReadonlyArray<One>, atOnce: boolean) =>
    everyAnswer(
      port,
      some.map(({ pieces }) => pieces),
      isHeadOf(some),
      atOnce,
    )
  const alone = (one: One) => (one.isWhole ? ask([one], false) : pour(port, one.pieces, () => 'perhaps'))

  const answers = async (): Promise<ReadonlyArray<StrictAnswer>> => {
    switch (travel) {
      case 'apart':
        return (await Promise.all(all.map(alone))).flat()
      case 'in turn': {
        const inTurn = await ask(whole, false)
        return [...inTurn, ...(await Promise.all(broken.map(alone))).flat()]
      }
      case 'at once':
        return broken.length === 0 && !plans.slice(0, -1).some(endsConnection)
          ? ask(all, true)
          : alone({ pieces: all.flatMap(({ pieces }) => pieces), isHead: 'perhaps', isWhole: false })
    }
  }
  try {
    const came = await answers()
    for (const answer of came) validate(answer)
    return came
  } catch (error) {
    const requests = all.map(({ pieces }) => shown(pieces)).join('\n')
    throw new Error(`${error}\nto what was sent ${travel}:\n${requests}`, { cause: error })
  }
}

/** Sends the rest on a new connection when a response ends one before all requests are answered. */
const everyAnswer = async (
  port: number,
  requests: ReadonlyArray<Pieces>,
  isHead: IsHead,
  atOnce: boolean,
): Promise<ReadonlyArray<StrictAnswer>> => {
  if (requests.length === 0) return []
  const answers = await converse(port, requests, isHead, atOnce)
  expect(answers.length, 'answers').to.be.within(1, requests.length)
  if (answers.length < requests.length) expect(answers.at(-1)?.headers.connection).to.equal('close')
  const rest = requests.slice(answers.length)
  return [...answers, ...(await everyAnswer(port, rest, (index) => isHead(index + answers.length), atOnce))]
}

const shown = (pieces: Pieces): string => JSON.stringify(Buffer.concat(pieces).toString('latin1'))
