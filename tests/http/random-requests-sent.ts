import { expect } from 'chai'
import { converse, type Pieces } from '../support/exchange.ts'
import type { IsHead, StrictAnswer } from '../support/strict-answers.ts'
import { type Names, piecesOf } from './random-requests-bytes.ts'
import { type Batch, endsConnection } from './random-requests-plans.ts'

/**
 * All responses to a batch. Each request must get exactly one.
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
  const all = plans.map((plan, index) => piecesOf(plan, { ...names, id: `${id}-${index}` }))
  // The parser’s refusals have a body, even if the request looked like a HEAD.
  const isHead: IsHead = (index) => (plans[index]?.method === 'HEAD' ? 'perhaps' : false)
  const atOnce = travel === 'at once' && !plans.slice(0, -1).some(endsConnection)
  const answers = async (): Promise<ReadonlyArray<StrictAnswer>> =>
    travel === 'apart'
      ? (
          await Promise.all(all.map((one, index) => everyAnswer(port, [one], () => isHead(index), false)))
        ).flat()
      : everyAnswer(port, all, isHead, atOnce)
  try {
    const came = await answers()
    for (const answer of came) validate(answer)
    return came
  } catch (error) {
    const requests = all.map(shown).join('\n')
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
