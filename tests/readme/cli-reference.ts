import type { Argument, Command, Option } from 'commander'
import { argumentText, commandsOf, type NamedCommand } from '../support/commands.ts'

/** The pages with the reference of the commands, in the order in which their examples run. */
export const CLI_PAGES = ['docs/cli.md', 'docs/cli-applications.md', 'docs/cli-store.md'] as const

/** Separates the pages where they are handled as one text. */
export const PAGE_BREAK = '\f'

/** The reference of a command in Markdown, made from the program: description, usage, arguments and options. */
export const referenceOf = ({ name, command }: NamedCommand): string => {
  const own = command.options.filter(({ long }) => long !== '--json')
  const items = [...command.registeredArguments.map(argumentItem), ...own.map(optionItem)]
  return [
    `${sentence(command.description())} Usage:`,
    `\`${usageOf(name, command)}\``,
    ...(items.length === 0 ? [] : ['', ...items]),
  ].join('\n')
}

const usageOf = (name: string, { options, registeredArguments }: Command): string =>
  [
    `portcullis ${name}`,
    ...registeredArguments.map(argumentText),
    ...options.map(({ flags, mandatory }) => (mandatory ? flags : `[${flags}]`)),
  ].join(' ')

const argumentItem = (argument: Argument): string => item(argumentText(argument), [argument.description])

const optionItem = (option: Option): string =>
  item(option.flags, [
    option.description,
    ...choicesOf(option),
    ...(option.defaultValue === undefined || option.defaultValue === false
      ? []
      : [`default: ${option.defaultValueDescription ?? option.defaultValue}`]),
  ])

/** A long list is not readable as a sentence. `--help` shows it. */
const choicesOf = ({ argChoices = [] }: Option): ReadonlyArray<string> => {
  if (argChoices.length === 0) return []
  return [argChoices.length > MOST_CHOICES ? '`--help` lists them' : `one of \`${argChoices.join(', ')}\``]
}

const MOST_CHOICES = 5

const item = (what: string, sentences: ReadonlyArray<string>): string =>
  `- \`${what}\`: ${sentences.map(sentence).join(' ')}`

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

const markers = (name: string) => [`<!-- reference: ${name} -->\n`, '<!-- end of reference -->'] as const

/** The pages with the reference of each command between its markers. */
export const withReferences = (page: string): string =>
  commandsOf().reduce((text, named) => {
    const [start, end] = markers(named.name)
    const from = text.indexOf(start)
    const to = text.indexOf(end, from)
    if (from < 0 || to < 0) throw new Error(`${CLI_PAGES.join(' and ')} have no ${start.trim()}`)
    return `${text.slice(0, from + start.length)}${referenceOf(named)}\n${text.slice(to)}`
  }, page)
