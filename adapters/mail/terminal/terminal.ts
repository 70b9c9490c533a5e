import { left, right } from 'fp-ts/lib/Either.js'
import type { Letter, Mailer } from '../../../application/ports/mail.ts'

/** Prints lines, and resolves when they are written, or with the reason why they are lost. */
export type PrintLines = (lines: ReadonlyArray<string>) => Promise<string | undefined>

/** Prints letters instead of sending them: for a first run, whose operator is the only reader. */
export const terminalMailer = (print: PrintLines): Mailer => ({
  send: (letter) => async () => {
    const lostBecause = await print(linesOf(letter))
    return lostBecause === undefined
      ? right({ _tag: 'Accepted', code: '250' })
      : left({ _tag: 'RelayDown', code: 'EOUTPUT' })
  },
  check: () => async () => right({ tlsVersion: undefined, certificateEndsAtSeconds: undefined }),
  close: async () => {},
})

const linesOf = ({ to, subject, text }: Letter): ReadonlyArray<string> => [
  '',
  '--- mail ---',
  `To: ${to}`,
  `Subject: ${subject}`,
  '',
  ...text.trimEnd().split('\n'),
  '--- end of mail ---',
]
