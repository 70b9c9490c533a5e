import { withoutCode } from './markdown.ts'

/** CONTRIBUTING.md, "Rules for a change". */
export const MOST_WORDS = 25

/** Words and phrases that pages avoid. Quoted code may contain them. */
const BANNED: ReadonlyArray<RegExp> = [
  /\b(?:who|what|whom|whose)(?:so)?ever\b/i,
  /\b(?:no|some|every)body\b/i,
  /\b(?:is|are) to be\b/i,
  /\bof (?:one's|one’s) own\b/i,
  /\bno less than\b/i,
  // "for" in the sense of "because"
  /, for (?:it|they|there|we|you|he|she) (?:is|are|was|were|has|have|had|can|cannot|could|may|must|will|would|does|do|did)\b/i,
]

/** Sentences that are too long, and words that pages avoid. */
export const complaintsAbout = (page: string): ReadonlyArray<string> =>
  sentencesIn(page).flatMap((sentence) => {
    const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
    const banned = BANNED.flatMap((pattern) => pattern.exec(sentence)?.[0] ?? [])
    return [
      ...(words > MOST_WORDS ? [`${words} words: ${sentence}`] : []),
      ...banned.map((found) => `“${found.replace(/^, /, '')}”: ${sentence}`),
    ]
  })

/**
 * The sentences of a page without its code. A heading, a list item and a cell of a table each begin a sentence; inline code counts as
 * one word and a link as its text. A title of a test that is cited behind `›` is left out.
 */
export const sentencesIn = (page: string): ReadonlyArray<string> =>
  blocksOf(withoutCode(page))
    .flatMap((block) => block.split(/<br\s*\/?>/))
    .map((text) => text.replace(/ › .*$/s, ''))
    .flatMap((text) => plain(text).split(BETWEEN_SENTENCES))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')

/** A full stop, question or exclamation mark before a space, but for the one of an abbreviation. */
const BETWEEN_SENTENCES = /(?<!\b(?:e\.g|i\.e|cf|vs|etc|incl|approx|Dr|No)\.)(?<=[.!?…]["'”’)\]*]*)\s+(?=\S)/u

const blocksOf = (page: string): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  let isOpen = false
  for (const line of page.split('\n').map((one) => one.replace(/^(?:\s*>)+\s?/, ''))) {
    const starts = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line)
    if (/^\s*\|/.test(line)) {
      blocks.push(...cellsOf(line))
      isOpen = false
    } else if (/^\s*(?:#{1,6}\s|\[[^\]]+\]:\s)/.test(line)) {
      if (line.includes('#')) blocks.push(line.replace(/^\s*#+\s+/, ''))
      isOpen = false
    } else if (line.trim() === '') isOpen = false
    else if (starts === null && isOpen) blocks.push(`${blocks.pop()} ${line.trim()}`)
    else {
      blocks.push(starts?.[1] ?? line.trim())
      isOpen = true
    }
  }
  return blocks
}

/** A bar within code or behind a backslash divides nothing. */
const cellsOf = (line: string): ReadonlyArray<string> =>
  withCodeAsWord(line)
    .replaceAll('\\|', '¦')
    .split('|')
    .filter((cell) => !/^\s*:?-*:?\s*$/.test(cell))

const withCodeAsWord = (text: string): string => text.replaceAll(/(`+)[^`](?:.*?[^`])?\1(?!`)/g, 'CODE')

const plain = (text: string): string =>
  withCodeAsWord(text)
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replaceAll(/<?https?:\/\/[^\s>]+>?/g, 'URL')
    .replaceAll(/<\/?[a-z][^>]*>/gi, ' ')
    .replaceAll(/\*+|(?<!\w)_+|_+(?!\w)/g, '')
