import { writeFileSync } from 'node:fs'
import { bomOf } from './bom.ts'
import { readLock } from './lock.ts'

/** `make sbom`: writes the bill of materials into the file that is named. */
const [, , file] = process.argv
if (file === undefined) throw new Error('name the file to write')
writeFileSync(file, `${JSON.stringify(bomOf(readLock()), null, 2)}\n`)
