import { readFileSync } from 'node:fs'

/**
 * To be loaded into a process before everything else: from then on its clock is wrong by as many milliseconds as stand in
 * the file that SHIFTED_CLOCK names, and jumps whenever that is written anew.
 */
const real = Date.now
const file = process.env.SHIFTED_CLOCK ?? ''

Date.now = () => real() + Number(readFileSync(file, 'utf8'))
