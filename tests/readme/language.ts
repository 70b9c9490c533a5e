import { withoutCode } from './markdown.ts'

/** CONTRIBUTING.md, "Rules for a change". */
export const MOST_WORDS = 25

/** The same across the cells of a row and the items of a list: their bars and bullets divide a little. */
export const MOST_WORDS_TO_A_FULL_STOP = 30

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

/** Passages that are too long. */
export const runOnsIn = (page: string): ReadonlyArray<string> =>
  passagesIn(page)
    .filter((passage) => wordsIn(passage) > MOST_WORDS_TO_A_FULL_STOP)
    .map((passage) => `${wordsIn(passage)} words: ${passage}`)

/** Sentences that are too long, and words that pages avoid. */
export const complaintsAbout = (page: string): ReadonlyArray<string> =>
  sentencesIn(page).flatMap((sentence) => {
    const words = wordsIn(sentence)
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
  blocksOf(withoutCode(page)).flatMap(({ text }) => splitSentences(text))

/**
 * What is read up to the next full stop: across the cells of a row, and across a list and the colon before it. Headings and lists of
 * links do not count.
 */
export const passagesIn = (page: string): ReadonlyArray<string> => {
  const passages: Array<string> = []
  for (const { kind, text, follows } of blocksOf(withoutCode(page))) {
    const [first = '', ...others] = kind === 'heading' || IS_LINK.test(text) ? [] : splitSentences(text)
    const before = follows ? (passages.pop() ?? '') : ''
    if (HAS_ENDED.test(before)) passages.push(before, first)
    else passages.push(`${before} ${first}`.trim())
    passages.push(...others)
  }
  return passages.filter((passage) => passage !== '')
}

export const wordsIn = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** How many words a share of the texts have at most: with 0.9, the 90th percentile. */
export const wordsAt = (share: number, texts: ReadonlyArray<string>): number =>
  texts.map(wordsIn).sort((one, other) => one - other)[Math.ceil(share * texts.length) - 1] ?? 0

const splitSentences = (text: string): ReadonlyArray<string> =>
  text
    .split(/<br\s*\/?>/)
    .map((part) => part.replace(/ › .*$/s, ''))
    .flatMap((part) => plain(part).split(BETWEEN_SENTENCES))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')

const IS_LINK = /^\[[^\]]*\]\([^)]*\)$/

const HAS_ENDED = /[.!?…]["'”’)\]*]*$/u

/** A full stop, question or exclamation mark before a space, but for the one of an abbreviation. */
const BETWEEN_SENTENCES = /(?<!\b(?:e\.g|i\.e|cf|vs|etc|incl|approx|Dr|No)\.)(?<=[.!?…]["'”’)\]*]*)\s+(?=\S)/u

type Block = Readonly<{ kind: 'heading' | 'paragraph' | 'item' | 'cell'; text: string; follows: boolean }>

/** `follows`: the block stands behind another one of its list or row, or is the first item of a list, behind a paragraph. */
const blocksOf = (page: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let isOpen = false
  let emptyLines = 0 // more than one where code was
  for (const line of page.split('\n').map((one) => one.replace(/^(?:\s*>)+\s?/, ''))) {
    const [, item] = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line) ?? []
    const last = blocks.at(-1)
    if (/^\s*\|/.test(line)) {
      blocks.push(...cellsOf(line).map((text, at): Block => ({ kind: 'cell', text, follows: at > 0 })))
      isOpen = false
    } else if (/^\s*(?:#{1,6}\s|\[[^\]]+\]:\s)/.test(line)) {
      if (line.includes('#'))
        blocks.push({ kind: 'heading', text: line.replace(/^\s*#+\s+/, ''), follows: false })
      isOpen = false
    } else if (line.trim() === '') isOpen = false
    else if (item === undefined && isOpen && last !== undefined)
      blocks[blocks.length - 1] = { ...last, text: `${last.text} ${line.trim()}` }
    else {
      blocks.push({
        kind: item === undefined ? 'paragraph' : 'item',
        text: item ?? line.trim(),
        follows: isOpen || (item !== undefined && last?.kind === 'paragraph' && emptyLines === 1),
      })
      isOpen = true
    }
    emptyLines = line.trim() === '' ? emptyLines + 1 : 0
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
