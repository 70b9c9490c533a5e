import { toUndefined } from 'fp-ts/lib/Option.js'
import { lookUpLanguage } from '../../domain/language.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { type Say, saying, type Texts } from './texts.ts'

/** The languages that the service brings. */
export const BUILT_IN: Readonly<Record<string, Texts>> = { en, de }

/** The texts of a folder, by language. What one omits, the built-in texts say. */
export type OwnTexts = Readonly<Record<string, Partial<Texts>>>

export type Languages = Readonly<{
  available: ReadonlyArray<string>
  /** The first available language that fits a wish, or the language of the service. */
  find: (...wishes: ReadonlyArray<string>) => Language
}>

export type Language = Readonly<{
  /** The language tag. */
  name: string
  say: Say
  /** A time in UTC. */
  time: (seconds: number) => string
}>

/** @param fallback an available language */
export const languages = (own: OwnTexts, fallback: string): Languages => {
  const names = [...new Set([...Object.keys(BUILT_IN), ...Object.keys(own)])].sort()
  const made = new Map<string, Language>()
  const languageOf = (name: string): Language => {
    const known = made.get(name) ?? language(name, { ...en, ...BUILT_IN[name], ...own[name] })
    made.set(name, known)
    return known
  }
  return {
    available: names,
    find: (...wishes) => languageOf(toUndefined(lookUpLanguage(wishes, names)) ?? fallback),
  }
}

const language = (name: string, texts: Texts): Language => {
  let dates: Intl.DateTimeFormat | undefined // the first costs 8 MB
  return {
    name,
    say: saying(name, texts),
    time: (seconds) => {
      dates ??= new Intl.DateTimeFormat(name, { ...DATE, ...TIME })
      return dates.format(seconds * 1000)
    },
  }
}

const DATE = { year: 'numeric', month: 'long', day: 'numeric' } as const
const TIME = {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const
