import assert from 'node:assert/strict'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { Letter, Mailer } from '../../application/ports/mail.ts'
import type { Runner } from './runner.ts'

/**
 * What the relay of a case does with a letter for an address:
 *
 * - `takes`
 * - `refuses_recipient` and `refuses_letter`: for good, at `RCPT` or after `DATA`
 * - `postpones_recipient` and `postpones_letter`: for now
 * - `refuses_sender`: at `MAIL`
 * - `closes`: it answers 421, and ends the connection
 * - `loses_answer`: it takes the letter, and ends the connection before it answers
 */
export type RelayAnswer = (typeof RELAY_ANSWERS)[number]
export const RELAY_ANSWERS = [
  ...(['takes', 'refuses_recipient', 'refuses_letter', 'postpones_recipient', 'postpones_letter'] as const),
  ...(['refuses_sender', 'closes', 'loses_answer'] as const),
] as const

/** A letter that the relay took, as a mail program shows it. */
export type ReceivedLetter = Readonly<{
  to: ReadonlyArray<string>
  subject: string
  text: string
  html: string
  language: string
  /** Without angle brackets. */
  messageId: string
}>

/** Opens a mailer and its relay. `answerTo` decides by the recipient, and first, with '', about the sender. `isAway`: nothing listens. */
export type OpenMailer = (
  relay: Readonly<{ answerTo: (to: string) => RelayAnswer; isAway?: boolean }>,
) => Promise<OpenedMailer>
export type OpenedMailer = Readonly<{
  mailer: Mailer
  received: () => ReadonlyArray<ReceivedLetter>
  close?: () => Promise<void>
}>

/** The contract suite of `Mailer`. */
export const mailerContract = ({ it }: Runner, open: OpenMailer): void => {
  type Relay = Readonly<{ answers?: Readonly<Record<string, RelayAnswer>>; isAway?: boolean }>
  const check = (name: string, relay: Relay, body: (opened: OpenedMailer) => Promise<void>) =>
    it(name, async () => {
      const opened = await open({
        answerTo: (to) => relay.answers?.[to] ?? 'takes',
        ...(relay.isAway && { isAway: true }),
      })
      try {
        await body(opened)
      } finally {
        await opened.mailer.close()
        await opened.close?.()
      }
    })

  for (const [what, letter] of LETTERS)
    check(`sends a letter: ${what}`, {}, async ({ mailer, received }) => {
      assert.deepEqual(tagOf(await mailer.send(letter)()), 'Accepted')
      assert.deepEqual(received(), [receivedOf(letter)])
    })

  check('sends several letters at once, each to its recipient', {}, async ({ mailer, received }) => {
    const letters = Array.from({ length: 20 }, (_, at) => letterTo(`reader${at}@example.com`))
    const answers = await Promise.all(letters.map((letter) => mailer.send(letter)()))
    assert.deepEqual(new Set(answers.map(tagOf)), new Set(['Accepted']))
    const byRecipient = (one: ReceivedLetter, other: ReceivedLetter) =>
      String(one.to) < String(other.to) ? -1 : 1
    assert.deepEqual([...received()].sort(byRecipient), letters.map(receivedOf).sort(byRecipient))
  })

  for (const [answer, expected] of FAILURES)
    check(
      `says who is at fault if the relay ${answer.replace('_', ' ')}`,
      { answers: { [answer === 'refuses_sender' ? '' : ADA]: answer } },
      async (opened) => {
        const answered = await opened.mailer.send(letterTo(ADA))()
        assert.equal(tagOf(answered), expected)
        const { code } = isLeft(answered) ? answered.left : { code: '' }
        assert.match(code, /^[A-Z0-9][A-Z0-9_]{2,63}$/, 'a code, and no text of the relay')
      },
    )

  for (const answer of [
    'refuses_recipient',
    'refuses_letter',
    'postpones_recipient',
    'postpones_letter',
  ] as const)
    check(
      `sends the others if the relay ${answer.replace('_', ' ')}`,
      { answers: { [ADA]: answer } },
      async ({ mailer, received }) => {
        const others = ['one@example.com', 'two@example.com', 'three@example.com'].map(letterTo)
        await Promise.all([letterTo(ADA), ...others].map((letter) => mailer.send(letter)()))
        assert.deepEqual(new Set(received().flatMap(({ to }) => to)), new Set(others.map(({ to }) => to)))
      },
    )

  check(
    'sends again after a closed connection',
    { answers: { [ADA]: 'closes' } },
    async ({ mailer, received }) => {
      assert.equal(tagOf(await mailer.send(letterTo(ADA))()), 'RelayDown')
      assert.equal(tagOf(await mailer.send(letterTo('one@example.com'))()), 'Accepted')
      assert.deepEqual(received(), [receivedOf(letterTo('one@example.com'))])
    },
  )

  check(
    'repeats a letter with the same id',
    { answers: { [ADA]: 'loses_answer' } },
    async ({ mailer, received }) => {
      await mailer.send(letterTo(ADA))()
      await mailer.send(letterTo(ADA))()
      assert.deepEqual(received(), [receivedOf(letterTo(ADA)), receivedOf(letterTo(ADA))])
    },
  )

  check('says that a relay is away', { isAway: true }, async ({ mailer }) => {
    assert.equal(tagOf(await mailer.send(letterTo(ADA))()), 'RelayDown')
    assert.equal(tagOf(await mailer.check()()), 'RelayDown')
  })

  check('checks a relay without a letter', {}, async ({ mailer, received }) => {
    assert.equal(isRight(await mailer.check()()), true)
    assert.deepEqual(received(), [])
  })

  check('sends nothing after its end, and can be ended twice', {}, async ({ mailer, received }) => {
    await mailer.send(letterTo(ADA))()
    await mailer.close()
    await mailer.close()
    assert.equal(tagOf(await mailer.send(letterTo(ADA))()), 'RelayDown')
    assert.equal(received().length, 1)
  })

  check('waits at its end for letters on their way', {}, async ({ mailer, received }) => {
    const sending = mailer.send(letterTo(ADA))()
    await mailer.close()
    assert.equal(tagOf(await sending), received().length === 1 ? 'Accepted' : 'RelayDown')
    assert.equal(received().length, 1)
  })
}

const tagOf = (
  answered:
    | Awaited<ReturnType<ReturnType<Mailer['send']>>>
    | Awaited<ReturnType<ReturnType<Mailer['check']>>>,
): string =>
  isLeft(answered) ? answered.left._tag : '_tag' in answered.right ? answered.right._tag : 'Checked'

const ADA = 'ada@lovelace.example'

/** What the relay does, and who is at fault then. */
export const FAILURES: ReadonlyArray<readonly [answer: RelayAnswer, tag: 'Refused' | 'Later' | 'RelayDown']> =
  [
    ['refuses_recipient', 'Refused'],
    ['refuses_letter', 'Refused'],
    ['postpones_recipient', 'Later'],
    ['postpones_letter', 'Later'],
    ['refuses_sender', 'RelayDown'],
    ['closes', 'RelayDown'],
    ['loses_answer', 'RelayDown'],
  ]

const letterTo = (to: string): Letter => ({
  kind: 'test',
  to,
  subject: `Hello ${to}`,
  text: `A letter for ${to}\n`,
  html: `<p>A letter for ${to}</p>`,
  language: 'en',
  messageId: `${to.split('@')[0]}@example.com`,
})

const LINK = `https://example.com/account/recover?token=${'0123456789abcdef'.repeat(8)}&x=1`

export const LETTERS: ReadonlyArray<readonly [what: string, letter: Letter]> = [
  ['plain', letterTo(ADA)],
  [
    'in another language',
    { ...letterTo(ADA), language: 'de', subject: 'Größe „Öl“ – 株式会社 😀', text: 'Grüße, 株式会社 😀\n' },
  ],
  [
    'with a long link on one line',
    { ...letterTo(ADA), text: `${LINK}\n`, html: `<p>\n<a href="${LINK}">${LINK}</a>\n</p>` },
  ],
  ['with lines of dots', { ...letterTo(ADA), text: '.\n..\n.a\n\n.\n', html: '<p>\n.\n..\n</p>' }],
  ['with equals signs and trailing spaces', { ...letterTo(ADA), text: 'a=3D \nb=\n-- \nc\n' }],
  ['with a long subject', { ...letterTo(ADA), subject: 'Ein „Wort“ '.repeat(30).trim() }],
  ['for an address with all allowed characters', letterTo("a.!#$%&'*+/=?^_`{|}~-1@xn--bcher-kva.example")],
]

const receivedOf = ({ to, subject, text, html, language, messageId }: Letter): ReceivedLetter => ({
  to: [to],
  subject,
  text,
  html,
  language,
  messageId,
})
