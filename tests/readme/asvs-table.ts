import { existsSync } from 'node:fs'
import { REQUIREMENTS } from './asvs-5.0.0.ts'
import { linksIn } from './markdown.ts'
import { isTitled, titlesIn } from './titles.ts'

/** The states of a requirement, as docs/asvs.md explains them. */
export const STATES = ['met', 'partly', 'documented', 'operator', 'not applicable', 'not met'] as const

/** One line of the table. */
export type Row = Readonly<{
  /** As it stands there. */
  line: string
  ids: ReadonlyArray<string>
  levels: string
  state: string
  how: string
  proof: string
}>

/** What there is to be proved: the levels 1 and 2. */
export const ASKED = REQUIREMENTS.filter(({ level }) => level < 3)

/** Every line that begins with the number of a requirement. */
export const rowsIn = (page: string): ReadonlyArray<Row> =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| v5.0.0-'))
    .map((line) => {
      const cells = line.split('|').slice(1, -1)
      const [ids = '', levels = '', , state = '', how = '', proof = ''] = cells.map((cell) => cell.trim())
      return { line, ids: idsIn(ids), levels, state, how, proof }
    })

/** `v5.0.0-1.3.7–1.3.9, 1.3.11`: a dash takes in those of the levels 1 and 2 that lie between. */
const idsIn = (cell: string): ReadonlyArray<string> =>
  cell
    .replace('v5.0.0-', '')
    .split(', ')
    .flatMap((part) => {
      const [first = '', last = first] = part.split('–')
      const [from, to] = [first, last].map((id) => ASKED.findIndex((one) => one.id === id))
      if (from === undefined || to === undefined || from === -1 || to < from) return [part]
      return ASKED.slice(from, to + 1).map(({ id }) => id)
    })

/** How cells say what is still to be filled in. */
export const isOpen = (text: string): boolean => text.includes('TODO:')

/** What is wrong with a row by itself, in words. */
export const problemsOf = ({ ids, levels, state, how, proof }: Row): ReadonlyArray<string> => {
  const unknown = ids.filter((id) => !ASKED.some((one) => one.id === id))
  const real = [...new Set(ASKED.filter(({ id }) => ids.includes(id)).map(({ level }) => level))].sort()
  return [
    ...unknown.map((id) => `there is no requirement ${id} of level 1 or 2`),
    ...(unknown.length === 0 && levels !== real.join(', ') ? [`the level is ${real.join(', ')}`] : []),
    ...(STATES.some((one) => one === state) ? [] : [`there is no state ${state}`]),
    ...(how.length < LEAST_REASON ? ['it says neither how nor why not'] : []),
    ...proofProblems(state, how, proof),
  ]
}

const LEAST_REASON = 20

const proofProblems = (state: string, how: string, proof: string): ReadonlyArray<string> => {
  const parts = proof.split('<br>').filter((part) => part !== '' && !isOpen(part))
  const wrong = parts.flatMap(proofProblem)
  if (state === 'documented')
    return [...wrong, ...(linksIn(how).length > 0 || isOpen(how) ? [] : ['it names no place'])]
  const isProved = parts.length > 0 || isOpen(proof)
  return ['met', 'partly'].includes(state) && !isProved ? [...wrong, 'no test proves it'] : wrong
}

const proofProblem = (part: string): ReadonlyArray<string> => {
  const [, file, sentence] = /^`(tests\/[^`]+\.test\.ts)` › (.+)$/.exec(part) ?? []
  if (file === undefined || sentence === undefined) return [`this names no test: ${part}`]
  if (!existsSync(file)) return [`there is no ${file}`]
  return isTitled(titlesIn(file), sentence) ? [] : [`${file} does not say: ${sentence}`]
}

/** The requirements that stand in no row, or in several. */
export const miscounted = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const times = new Map(ASKED.map(({ id }) => [id, 0]))
  for (const id of rows.flatMap(({ ids }) => ids)) times.set(id, (times.get(id) ?? 0) + 1)
  return [...times]
    .filter(([, count]) => count !== 1)
    .map(([id, count]) => `${id} stands there ${count} times`)
}
