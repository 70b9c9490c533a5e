import { getOrElse, isLeft } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { isEmail } from '../../domain/user.ts'
import { asciiEmail } from '../config/addresses/ascii-domains.ts'
import { relayText } from '../config/mail-settings.ts'
import { quoted } from '../config/setting.ts'
import type { Settings } from '../config/settings.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { printRecord, rfc3339OrNull } from './print.ts'
import { readSettings } from './read-settings.ts'
import { relayProblem } from './relay-problems.ts'

/** `portcullis mail test`: sends one mail, outside of the outbox and the log. */
export const mailTest = async (
  context: CommandContext,
  address: string,
  { json }: { json: boolean },
): Promise<void> => {
  const to = asciiEmail(address)
  if (!isEmail(to))
    throw new CommandFailed(`<address> must be an e-mail address, got ${quoted(address)}.`, EXIT.wrongUsage)
  const settings = readSettings(context)
  const opened = await context.composition.openMail(settings)
  if (isNone(opened))
    throw new CommandFailed('mail test requires MAIL_URL. Set that too.', EXIT.wrongSettings)
  const { mailer, writeLetter, newId, now } = opened.value
  const relay = settings.mail === undefined ? 'the relay of --with' : relayText(settings.mail.relay)
  try {
    const checked = await mailer.check()()
    if (isLeft(checked)) throw new CommandFailed(relayProblem(relay, checked.left))
    const message = { kind: 'test', atSeconds: Math.floor(now() / 1000) } as const
    const sent = await mailer.send(writeLetter({ id: newId(), to, wishes: [], message }))()
    if (isLeft(sent)) throw new CommandFailed(relayProblem(relay, sent.left))
    const { tlsVersion, certificateEndsAtSeconds } = checked.right
    printRecord(context, {
      json,
      record: {
        answer: Number(sent.right.code),
        tls: tlsVersion ?? null,
        certificate_ends_at: rfc3339OrNull(certificateEndsAtSeconds),
      },
      note: `The relay ${relay} took the mail.`,
    })
  } finally {
    await mailer.close()
  }
}

/** `portcullis texts check` */
export const textsCheck = async (context: CommandContext): Promise<void> => {
  const missing = missingTexts(context, readSettings(context))
  if (missing.length > 0) throw new CommandFailed(missing.join('\n'))
  context.writeErr('Every language has all texts.')
}

/** One sentence for each language of `PAGES_FOLDER` that lacks texts. The settings were read, so nothing is wrong with the folder. */
export const missingTexts = ({ composition }: CommandContext, settings: Settings): ReadonlyArray<string> =>
  getOrElse((): ReadonlyArray<string> => [])(composition.checkTexts(settings))
