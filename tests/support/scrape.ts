import { request } from 'undici'

/** The metrics of a service at one moment. Each series by its whole name, `name{label="value"}`, with labels as received. */
export type Scrape = Readonly<{
  /** The value of a series, or undefined. */
  value: (series: string) => number | undefined
  series: ReadonlyArray<string>
  /** The type of each metric, from its `# TYPE` line. */
  types: ReadonlyMap<string, string>
}>

/** Scrapes a service like Prometheus. */
export const scrape = async (baseUrl: string, path = '/metrics'): Promise<Scrape> => {
  const answer = await request(`${baseUrl}${path}`, { reset: true }) // leaves no connection open
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text}`)
  return scraped(text)
}

/**
 * Parses the text format of Prometheus, version 0.0.4, strictly.
 *
 * @throws Error for an invalid line or a duplicate series
 */
export const scraped = (text: string): Scrape => {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const values = new Map<string, number>()
  const types = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, metric, type] = TYPE.exec(line) ?? []
    if (metric !== undefined && type !== undefined) types.set(metric, type)
    if (line === '' || HELP.test(line) || TYPE.test(line)) continue
    const [, series = '', value = ''] = SAMPLE.exec(line) ?? []
    if (series === '' || values.has(series)) throw new Error(`no sample, or one twice: ${line}`)
    values.set(series, Number(value.replace('Inf', 'Infinity')))
  }
  return { value: (series) => values.get(series), series: [...values.keys()], types }
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"`
const HELP = new RegExp(`^# HELP ${NAME} .+$`)
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary)$`)
const SAMPLE = new RegExp(`^(${NAME}(?:\\{${LABEL}(?:,${LABEL})*\\})?) ([-+0-9.eE]+|[+-]?Inf|[Nn][Aa][Nn])$`)
