import { left, right } from 'fp-ts/lib/Either.js'
import type { Letter, Mailer } from '../../application/ports/mail.ts'
import type { RelayAnswer } from '../testkit/mailer.ts'

export type MemoryMailer = Mailer & Readonly<{ received: ReadonlyArray<Letter> }>

/**
 * A mailer without a relay, for tests of what sends.
 *
 * @param answerTo what a relay would do with a letter for this address, or, with '', with the sender
 */
export const memoryMailer = (
  answerTo: (to: string) => RelayAnswer | 'is_away' = () => 'takes',
): MemoryMailer => {
  const received: Array<Letter> = []
  let isClosed = false
  return {
    received,
    send: (letter) => async () => {
      const ofSender = answerTo('')
      const answer = isClosed ? 'is_away' : ofSender === 'takes' ? answerTo(letter.to) : ofSender
      if (answer === 'takes' || answer === 'loses_answer') received.push(letter)
      switch (answer) {
        case 'takes':
          return right({ _tag: 'Accepted', code: '250' })
        case 'refuses_recipient':
        case 'refuses_letter':
          return left({ _tag: 'Refused', code: answer === 'refuses_letter' ? '554' : '550' })
        case 'postpones_recipient':
        case 'postpones_letter':
          return left({ _tag: 'Later', code: answer === 'postpones_letter' ? '451' : '450' })
        default:
          return left({ _tag: 'RelayDown', code: DOWN[answer] })
      }
    },
    check: () => async () => {
      if (isClosed || answerTo('') === 'is_away') return left({ _tag: 'RelayDown', code: DOWN.is_away })
      return right({ tlsVersion: 'TLSv1.3', certificateEndsAtSeconds: undefined })
    },
    close: async () => {
      isClosed = true
    },
  }
}

const DOWN = { refuses_sender: '553', closes: '421', loses_answer: 'ECONNECTION', is_away: 'ECONNREFUSED' }
