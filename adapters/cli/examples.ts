/** The end of a help text. */
export const examples = (...commands: ReadonlyArray<string>): string =>
  ['', 'Examples:', ...commands.map((command) => `  ${command}`)].join('\n')
