import { rfc3339OfSeconds } from '../../domain/rfc3339.ts'
import type { CommandContext } from './command-context.ts'
import { printableOnLine } from './printable.ts'

/** A record as commands print it, with the field names of its JSON. */
export type PrintedRecord = Readonly<
  Record<string, Printed | null | ReadonlyArray<string> | Readonly<Record<string, Printed>>>
>

type Printed = string | number | boolean

/**
 * Prints one record: as a JSON object, or as one line per field.
 *
 * @param note goes to standard error, unless the output is JSON
 */
export const printRecord = (
  { writeOut, writeErr }: CommandContext,
  { json, record, note }: Readonly<{ json: boolean; record: PrintedRecord; note?: string }>,
): void => {
  if (json) {
    writeOut(JSON.stringify(record))
    return
  }
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  for (const [name, value] of Object.entries(record)) writeOut(`${name.padEnd(width)}  ${text(value)}`)
  if (note !== undefined) writeErr(note)
}

/** Prints one record of a list on one line: as a JSON object, or as its values. */
export const printRow = (
  { writeOut }: CommandContext,
  { json, record }: Readonly<{ json: boolean; record: PrintedRecord }>,
): void => writeOut(json ? JSON.stringify(record) : Object.values(record).map(text).join('  '))

/**
 * Prints a list, some records at a time, as `printRow` does. On a terminal, it begins with the names of the fields, and the columns are as
 * wide as the first records need.
 */
export const listPrinter = (context: CommandContext, { json }: Readonly<{ json: boolean }>) => {
  let widths: ReadonlyArray<number> | undefined
  const printAligned = (cells: ReadonlyArray<string>): void =>
    context.writeOut(
      cells
        .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths?.[column] ?? 0)))
        .join('  '),
    )
  return (records: ReadonlyArray<PrintedRecord>): void => {
    if (json || !context.isOutTerminal) {
      for (const record of records) printRow(context, { json, record })
      return
    }
    const [first] = records
    if (first === undefined) return
    const rows = records.map((record) => Object.values(record).map(text))
    if (widths === undefined) {
      const header = Object.keys(first)
      widths = header.map((name, column) =>
        Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
      )
      printAligned(header)
    }
    for (const row of rows) printAligned(row)
  }
}

const text = (value: PrintedRecord[string]): string => {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return '-'
  if (Array.isArray(value)) return printableOnLine(value.join(' '))
  return printableOnLine(typeof value === 'object' ? JSON.stringify(value) : String(value)) // here, because columns are measured
}

/** A time in RFC 3339, or null if there is none. */
export const rfc3339OrNull = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : rfc3339OfSeconds(seconds)
