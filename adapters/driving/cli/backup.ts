import { resolve } from 'node:path'
import { readSettings, withoutMemory } from './operations.ts'
import { printOne } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis backup` */
export const backup = async (
  terminal: Terminal,
  file: string,
  { json }: { json: boolean },
): Promise<void> => {
  const settings = readSettings(terminal)
  withoutMemory(settings)
  const path = resolve(terminal.folder, file)
  await terminal.composition.backUpStore(settings, path)
  printOne(terminal, json, { file: path })
}
