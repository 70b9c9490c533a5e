import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Verdict } from '../../application/log/verify-log.ts'
import { textIn } from '../config/files/text-file.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailed, EXIT } from './exit.ts'
import { historySentence, NO_LOG_KEY, verifiable } from './history.ts'
import { provingHint } from './log-finding.ts'
import { noOtherFailure, runOrFail, withReads } from './operations.ts'
import { printRecord } from './print.ts'
import { printableOnLine } from './printable.ts'

type Options = Readonly<{
  against?: ReadonlyArray<string>
  from?: string
  vkey?: ReadonlyArray<string>
  tokenFile?: string
  json: boolean
}>

/** `portcullis events verify` */
export const eventsVerify = async (context: CommandContext, options: Options): Promise<void> => {
  const { against = [], from, vkey = [], tokenFile, json } = options
  if ((from === undefined) !== (vkey.length === 0))
    throw new CommandFailed(
      '--from and --vkey belong together: the keys sign the exported log.',
      EXIT.wrongUsage,
    )
  if (!vkey.every((key) => VERIFIER_KEY.test(key)))
    throw new CommandFailed('--vkey must be a verifier key, as events key prints it.', EXIT.wrongUsage)
  if (tokenFile !== undefined && (from === undefined || !isSecure(from)))
    throw new CommandFailed(
      '--token-file needs --from with an https URL: another place must not get the token.',
      EXIT.wrongUsage,
    )
  const kept = await Promise.all(against.map((file) => contentOf(context, 'checkpoint', file)))
  if (from === undefined) return verifyStore(context, { against, kept, json })
  const token = tokenFile && (await contentOf(context, 'token file', tokenFile)).trim()
  const place = isUrl(from) ? { url: from, token } : { folder: resolve(context.folder, from) }
  const verified = context.composition.verifyExport(place, { verifierKeys: vkey, kept })
  const { origin, size, root } = await runOrFail(verified, historySentence)
  printRecord(context, { json, record: { ok: true, origin, size, root } })
}

const isUrl = (from: string): boolean => /^https?:\/\//.test(from)

const VERIFIER_KEY = /^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+={0,2}$/

/** Whether a token can be sent there: encrypted, or within this machine. */
const isSecure = (from: string): boolean =>
  URL.canParse(from) && (from.startsWith('https:') || LOOPBACK.test(new URL(from).hostname))

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** The signature of a checkpoint is over lines that end in LF, also if another program ended them in CR LF since. */
const contentOf = async ({ folder }: CommandContext, what: string, file: string): Promise<string> => {
  const bytes = await readFile(resolve(folder, file)).catch((error) => {
    throw new CommandFailed(`The ${what} ${file} cannot be read (${error.code}).`)
  })
  const text = textIn(bytes)
  if (text === undefined) throw new CommandFailed(`The ${what} ${file} is not UTF-8 text.`)
  return text.replaceAll('\r\n', '\n')
}

const verifyStore = (
  context: CommandContext,
  {
    against,
    kept,
    json,
  }: Required<Pick<Options, 'against' | 'json'>> & Readonly<{ kept: ReadonlyArray<string> }>,
): Promise<void> =>
  withReads(context, async (operations) => {
    const history = verifiable(operations)
    const keys = await runOrFail(history.verifierKeys, noOtherFailure)
    if (against.length > 0 && keys.length === 0) throw new CommandFailed(NO_LOG_KEY)
    const verified = await runOrFail(history.verifyLog(kept), historySentence)
    const { size, findings, verdicts } = verified
    const checkpoints = verdicts.map((verdict, index) => ({
      file: against[index] ?? '',
      ok: verdict._tag === 'Same',
      detail: sentence(verdict),
    }))
    const ok = findings.length === 0 && checkpoints.every((one) => one.ok)
    if (json) context.writeOut(JSON.stringify({ ok, size, findings, checkpoints }))
    else {
      if (findings.length === 0)
        context.writeOut(`ok     the log  ${size} entries agree with their tree.${provingHint(verified)}`)
      for (const finding of findings)
        context.writeOut(`WRONG  the log  ${printableOnLine(inSentence(finding))}`)
      for (const one of checkpoints)
        context.writeOut(`${one.ok ? 'ok   ' : 'WRONG'}  ${printableOnLine(`${one.file}  ${one.detail}`)}`)
    }
    if (!ok)
      throw new CommandFailed(
        'The log was changed, or a checkpoint is not of it. See each line that is not ok.',
      )
  })

const inSentence = (finding: string): string => `${finding[0]?.toUpperCase()}${finding.slice(1)}.`

const sentence = (verdict: Verdict): string => {
  switch (verdict._tag) {
    case 'Same':
      return `The first ${verdict.checkpoint.size} entries are unchanged.`
    case 'NotSigned':
      return 'No key of EVENT_LOG_KEY has signed this checkpoint.'
    case 'OtherLog':
      return `It is a checkpoint of another log, ${verdict.checkpoint.origin}.`
    case 'Shorter':
      return `It covers ${verdict.checkpoint.size} entries, and the log has only ${verdict.shared} of that history: entries were lost.`
    case 'Different':
      return `The first ${verdict.checkpoint.size} entries are not the ones that it covers: the log was changed.`
  }
}
