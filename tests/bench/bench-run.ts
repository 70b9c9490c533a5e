import { fileURLToPath } from 'node:url'
import type { Cost, Side } from './compare.ts'
import type { Place } from './machine.ts'
import { prepare, type Service, serve } from './portcullis.ts'
import type { Measured } from './report.ts'
import { type Subject, startSubject } from './subject.ts'

/** What a row works with. */
export type Bench = Readonly<{
  /** A temporary folder of the row. */
  folder: string
  rounds: number
  /** The tree to compare with, from `BASE`. */
  baseTree: string | undefined
  /** Keeps something until the row ends. */
  keep: <Kept extends Readonly<{ stop: () => Promise<void> }>>(starting: Promise<Kept>) => Promise<Kept>
}>

/** One measurement, selected by its name in `ROWS`. */
export type Row = Readonly<{
  name: string
  /** What it measures, and beside what, in some words. */
  what: string
  measure: (bench: Bench) => Promise<ReadonlyArray<Measured>>
}>

/** The built tree that this file belongs to. */
export const OWN_TREE = fileURLToPath(new URL('../../..', import.meta.url))

/** A ceiling of `servers.ts`. */
export const ceiling = ({ keep, folder }: Bench, name: 'hello' | 'scrypt'): Promise<Subject> =>
  keep(startSubject({ words: [scriptAt('servers.js'), name], folder }))

export const scriptAt = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export type ServiceOptions = Readonly<{
  settings?: Readonly<Record<string, string>>
  place?: Place
  tree?: string
}>

/** The service on a new store. */
export const service = (
  { keep, folder }: Bench,
  { settings, place, tree = OWN_TREE }: ServiceOptions = {},
): Promise<Service> => keep(serve(prepare(tree, folder, settings), place))

/** Makes a side for our tree and, with `BASE`, for the other one. */
export const forEachTree = async (
  { baseTree }: Pick<Bench, 'baseTree'>,
  sideOf: (tree: string) => Promise<Side<Cost>>,
): Promise<Readonly<{ ours: Side<Cost>; base?: Side<Cost> }>> => ({
  ours: await sideOf(OWN_TREE),
  ...(baseTree === undefined ? {} : { base: await sideOf(baseTree) }),
})
