import { isRight, left, right } from 'fp-ts/lib/Either.js'
import type { Letter } from '../../../application/ports/mail.ts'
import type { MemoryMailer } from '../../support/memory-mailer.ts'
import { FAILURES, LETTERS } from '../../testkit/mailer.ts'
import { turn } from './mutations.ts'
import type { PortMutation } from './port-mutations.ts'

export type RecordingMailer = MemoryMailer

type Send = RecordingMailer['send']

/** Sends another letter than it was given. */
const altered =
  (alter: (letter: Letter) => Letter) =>
  (good: RecordingMailer): Partial<RecordingMailer> => ({ send: (letter) => good.send(alter(letter)) })

/** Answers something else. */
const answering =
  (change: (answered: Awaited<ReturnType<ReturnType<Send>>>) => Awaited<ReturnType<ReturnType<Send>>>) =>
  (good: RecordingMailer): Partial<RecordingMailer> => ({
    send: (letter) => async () => change(await good.send(letter)()),
  })

const AT_FAULT = FAILURES.map(([answer]) => `says who is at fault if the relay ${answer.replace('_', ' ')}`)
const faultOf = (tag: string): ReadonlyArray<string> => AT_FAULT.filter((_, at) => FAILURES[at]?.[1] === tag)

const blaming = (from: string, to: 'Refused' | 'Later' | 'RelayDown') =>
  answering((answered) =>
    isRight(answered) || answered.left._tag !== from ? answered : left({ ...answered.left, _tag: to }),
  )

const SENDS_OTHERS = ['refuses recipient', 'refuses letter', 'postpones recipient', 'postpones letter'].map(
  (answer) => `sends the others if the relay ${answer}`,
)

const OF_LETTERS = LETTERS.map(([what]) => `sends a letter: ${what}`)

export const MAILER_MUTATIONS: ReadonlyArray<PortMutation<RecordingMailer>> = [
  [
    'answers that a relay took what it never got',
    () => ({ send: () => async () => right({ _tag: 'Accepted', code: '250' }) }),
    ...OF_LETTERS,
  ],
  [
    'drops what is not ASCII',
    altered((letter) => ({ ...letter, subject: letter.subject.replace(/[^ -~]/g, '?') })),
    'sends a letter: in another language',
    'sends a letter: with a long subject',
  ],
  [
    'splits long lines',
    altered((letter) => ({ ...letter, text: letter.text.replace(/(.{76})/g, '$1\n') })),
    'sends a letter: with a long link on one line',
  ],
  [
    'ends at a dot',
    altered((letter) => ({ ...letter, text: letter.text.split('\n.\n')[0] ?? '' })),
    'sends a letter: with lines of dots',
  ],
  [
    'drops trailing spaces',
    altered((letter) => ({ ...letter, text: letter.text.replace(/ +$/gm, '') })),
    'sends a letter: with equals signs and trailing spaces',
  ],
  [
    'lowers addresses',
    altered((letter) => ({ ...letter, to: letter.to.replace(/[^a-z0-9@.-]/g, '') })),
    'sends a letter: for an address with all allowed characters',
  ],
  [
    'forgets the language',
    altered((letter) => ({ ...letter, language: 'en' })),
    'sends a letter: in another language',
  ],
  ['sends no HTML', altered((letter) => ({ ...letter, html: '' })), 'sends a letter: plain'],
  [
    'sends all letters to one recipient',
    (good) => {
      let first: string | undefined
      return {
        send: (letter) => {
          first ??= letter.to
          return good.send({ ...letter, to: first })
        },
      }
    },
    'sends several letters at once, each to its recipient',
  ],
  ['repeats what a relay refuses for good', blaming('Refused', 'Later'), ...faultOf('Refused')],
  ['gives up what a relay postpones', blaming('Later', 'Refused'), ...faultOf('Later')],
  [
    'blames letters for their relay',
    blaming('RelayDown', 'Later'),
    ...faultOf('RelayDown'),
    'sends again after a closed connection',
    'says that a relay is away',
    'sends nothing after its end, and can be ended twice',
  ],
  [
    'passes on what a relay says',
    answering((answered) =>
      isRight(answered) ? answered : left({ ...answered.left, code: '550 <ada@lovelace.example>' }),
    ),
    ...AT_FAULT,
  ],
  [
    'ends a batch at the first refusal',
    (good) => {
      let last: ReturnType<ReturnType<Send>> | undefined
      return {
        send: (letter) => async () => {
          const before = last
          last = (async () => {
            const answered = await before
            return answered === undefined || isRight(answered)
              ? good.send(letter)()
              : left({ _tag: 'RelayDown', code: 'ECONNECTION' })
          })()
          return last
        },
      }
    },
    ...SENDS_OTHERS,
    'sends again after a closed connection',
  ],
  [
    'gives a repeated letter another id',
    (good) => {
      let repeated = 0
      return {
        send: (letter) => {
          repeated += 1
          return good.send({
            ...letter,
            messageId: repeated === 1 ? letter.messageId : `${repeated}${letter.messageId}`,
          })
        },
      }
    },
    'repeats a letter with the same id',
  ],
  [
    'finds every relay usable',
    () => ({
      check: () => async () => right({ tlsVersion: undefined, certificateEndsAtSeconds: undefined }),
    }),
    'says that a relay is away',
  ],
  [
    'finds no relay usable',
    () => ({ check: () => async () => left({ _tag: 'RelayDown', code: 'ECONNREFUSED' }) }),
    'checks a relay without a letter',
  ],
  [
    'checks a relay with a letter',
    (good) => ({
      check: () => async () => {
        await good.send({ ...(LETTERS[0]?.[1] as Letter) })()
        return good.check()()
      },
    }),
    'checks a relay without a letter',
  ],
  ['never ends', () => ({ close: async () => {} }), 'sends nothing after its end, and can be ended twice'],
  [
    'drops letters on their way when it ends',
    (good) => ({
      send: (letter) => async () => {
        await turn()
        return good.send(letter)()
      },
    }),
    'waits at its end for letters on their way',
  ],
]
