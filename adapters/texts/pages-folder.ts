import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { isLanguageName } from '../../domain/language.ts'
import { isMailKind, type MailKind } from '../../domain/mail.ts'
import { textIn } from '../config/files/text-file.ts'
import {
  BRANDING_BYTES,
  type Branding,
  type BrandingFile,
  isBrandingFile,
  logoIn,
  NO_BRANDING,
  styleIn,
} from './branding.ts'
import { BUILT_IN, type OwnTexts } from './languages.ts'
import { type MailTemplate, mailTemplate } from './mail-template.ts'
import { missingIn, ownTextsIn } from './own-texts.ts'
import type { TextKey, Texts } from './texts.ts'

/** What the folder of `PAGES_FOLDER` contains. */
export type PagesFolder = Readonly<{
  branding: Branding
  texts: OwnTexts
  /** The texts of new languages that are missing, so that English ones are used. */
  missing: Readonly<Record<string, ReadonlyArray<TextKey>>>
  /** The template of a kind in a language, or that for all languages. */
  mail: (kind: string, language: string) => MailTemplate | undefined
}>

export const NO_FOLDER: PagesFolder = {
  branding: NO_BRANDING,
  texts: {},
  missing: {},
  mail: () => undefined,
}

/** Reads the folder, or says in a sentence each which file is wrong. */
export const pagesFolder = (path: string): E.Either<ReadonlyArray<string>, PagesFolder> => {
  const files = filesIn(path)
  if (typeof files === 'string') return E.left([files])
  const problems: Array<string> = []
  const texts: Record<string, Partial<Texts>> = {}
  const bodies = new Map<string, string>()
  let branding = NO_BRANDING
  for (const { name, bytes } of files) {
    if (isBrandingFile(name)) {
      const read = brandingIn(name, bytes)
      if (E.isLeft(read)) problems.push(...read.left.map((problem) => `${name}: ${problem}`))
      else if (read.right.logo !== undefined && branding.logo !== undefined)
        problems.push('logo.png and logo.svg are both there: remove one')
      else branding = { ...branding, ...read.right }
      continue
    }
    const content = bytes && textIn(bytes)
    const language = /^texts\/([^/]+)\.json$/.exec(name)?.[1]
    const isText = language !== undefined && isLanguage(language)
    if (!isText && !MAIL.test(name)) problems.push(`${name} means nothing here`)
    else if (content === undefined) problems.push(`${name} is no readable file of UTF-8 text, at most 64 KiB`)
    else if (isText) {
      const read = ownTextsIn(content)
      if (E.isLeft(read)) problems.push(...read.left.map((problem) => `${name}: ${problem}`))
      else texts[language] = read.right
    } else bodies.set(name, content)
  }
  const mails = new Map<string, MailTemplate>()
  const known = new Set([...Object.keys(BUILT_IN), ...Object.keys(texts)])
  for (const [name, text] of bodies) {
    const [, folder = '', , kind = '', ending] = MAIL.exec(name) ?? []
    const language = MAIL.exec(name)?.[2]
    if (!isMailKind(kind)) problems.push(`${name} means nothing here: there is no such mail`)
    else if (language !== undefined && !known.has(language))
      problems.push(`${name} is of an unknown language`)
    else if (ending === 'txt') {
      const read = mailTemplate(kind, text, bodies.get(`mail/${folder}${kind}.html`))
      if (E.isRight(read)) mails.set(keyOf(kind, language ?? ''), read.right)
      else for (const [file, problem] of read.left) problems.push(`mail/${folder}${kind}.${file}: ${problem}`)
    } else if (!bodies.has(`mail/${folder}${kind}.txt`))
      problems.push(`${name} needs ${kind}.txt beside it, which has the subject`)
  }
  if (problems.length > 0) return E.left(problems)
  return E.right({
    branding,
    texts,
    missing: Object.fromEntries(
      Object.entries(texts).flatMap(([language, own]) => {
        const missing = Object.hasOwn(BUILT_IN, language) ? [] : missingIn(own)
        return missing.length === 0 ? [] : [[language, missing]]
      }),
    ),
    mail: (kind, language) => mails.get(keyOf(kind, language)) ?? mails.get(keyOf(kind, '')),
  })
}

const keyOf = (kind: MailKind | string, language: string): string => `${language}/${kind}`

/** The form alone allows subtags that `Intl` refuses when it writes the first date. */
const isLanguage = (name: string): boolean => {
  try {
    return isLanguageName(name) && Intl.getCanonicalLocales(name).length === 1
  } catch {
    return false
  }
}

const MAIL = /^mail\/(([^/]+)\/)?([^/.]+)\.(txt|html)$/

const brandingIn = (
  name: BrandingFile,
  bytes: Buffer | undefined,
): E.Either<ReadonlyArray<string>, Partial<Branding>> => {
  const most = BRANDING_BYTES[name]
  if (bytes === undefined || bytes.length > most)
    return E.left([`it is no readable file of at most ${most / 1024} KiB`])
  const text = textIn(bytes)
  if (name === 'style.css')
    return text === undefined
      ? E.left(['it is no UTF-8 text'])
      : E.map((style: string) => ({ style }))(styleIn(text))
  const logo = logoIn(name, bytes, text)
  return logo === undefined ? E.left(['it is no such image']) : E.right({ logo })
}

type Found = Readonly<{ name: string; bytes: Buffer | undefined }>

/** All files, by their paths below the folder. Names that begin with a dot are of editors, of systems, and of mounted volumes. */
const filesIn = (path: string): ReadonlyArray<Found> | string => {
  const found: Array<Found> = []
  const walk = (below: string, depth: number): void => {
    for (const entry of readdirSync(join(path, below)).sort()) {
      if (entry.startsWith('.')) continue
      const name = below === '' ? entry : `${below}/${entry}`
      if (!isFolder(join(path, name))) found.push({ name, bytes: bytesOf(join(path, name)) })
      else if (depth < MAX_DEPTH) walk(name, depth + 1)
      else found.push({ name, bytes: undefined })
      if (found.length > MAX_FILES) return
    }
  }
  try {
    walk('', 1)
  } catch {
    return 'it names no readable folder'
  }
  return found.length > MAX_FILES ? `it has more than ${MAX_FILES} files` : found
}

const MAX_FILES = 1_000
const MAX_BYTES = 65_536
/** `mail/LANG/KIND.txt` */
const MAX_DEPTH = 3

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const bytesOf = (path: string): Buffer | undefined => {
  try {
    const about = statSync(path)
    return about.isFile() && about.size <= MAX_BYTES ? readFileSync(path) : undefined
  } catch {
    return undefined
  }
}
