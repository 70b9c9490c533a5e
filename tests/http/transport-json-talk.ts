import { expect } from 'chai'
import type { StrictAnswer } from '../support/strict-answers.ts'
import { expectHeaders, ISSUE, lines, type Talk, talk } from './transport-talk.ts'

export type JsonTalk = Talk &
  Readonly<{
    /**
     * Sends a body to a route with two fields and without a token.
     *
     * @param body one character a byte
     */
    send: (body: string) => Promise<StrictAnswer>
    /** The codes of the missing fields of a body. */
    missingIn: (body: string) => Promise<ReadonlyArray<number>>
    /** Both fields with valid values, without braces. */
    known: () => string
  }>

/** Starts a service for a `describe` about bodies. */
export const jsonTalk = (): JsonTalk => {
  const talking = talk()
  const send = (body: string) =>
    talking.answerTo(
      lines(
        `POST ${ISSUE} HTTP/1.1`,
        'Host: service.test',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ) + body,
    )
  return {
    ...talking,
    send,
    missingIn: async (body) => {
      const answer = await send(body)
      expectHeaders(answer)
      expect(answer.status, answer.body).to.equal(422)
      return JSON.parse(answer.body).errors.map(({ code }: { code: number }) => code)
    },
    known: () => JSON.stringify(talking.running().keys).slice(1, -1),
  }
}
