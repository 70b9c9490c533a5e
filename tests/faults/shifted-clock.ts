import { readFileSync } from 'node:fs'

/**
 * Preloaded into a process. Its clock then differs by the milliseconds in the file that SHIFTED_CLOCK names, and jumps
 * when the file is rewritten.
 */
const real = Date.now
const file = process.env.SHIFTED_CLOCK ?? ''

Date.now = () => real() + Number(readFileSync(file, 'utf8'))
