import { type Operation, operationsOf, resolved } from '../support/open-api.ts'

/** An example: the request and the expected response. */
export type Case = Readonly<{
  name: string
  method: string
  path: string
  operation: Operation
  type: string
  fields: Readonly<Record<string, string | boolean | ReadonlyArray<string>>> | undefined
  status: number
  answer: unknown
}>

/** The description of a response quotes its request in backticks. */
const SENT = /^The response to `(.*)`$/

/** The examples of each operation. */
export const casesOf = (document: string): ReadonlyArray<Case> =>
  operationsOf(resolved(document)).flatMap(({ method, path, operation }) => {
    const [type = ''] = Object.keys(operation.requestBody?.content ?? {})
    const silent = Object.entries(operation.responses)
      .filter(([status, { content }]) => Number(status) < 300 && content === undefined)
      .flatMap(([status]) =>
        Object.values(operation.requestBody?.content[type]?.examples ?? {}).map(({ summary, value }) => ({
          name: `${method} ${path}, ${status}: ${summary}`,
          method,
          path,
          operation,
          type,
          fields: value as Case['fields'],
          status: Number(status),
          answer: undefined,
        })),
      )
    const telling = Object.entries(operation.responses)
      .filter(([status]) => Number(status) < 300 || status === '422')
      .flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ examples = {} }) =>
          Object.values(examples).map(({ summary, description = '', value }) => {
            const sent = SENT.exec(description)?.[1]
            return {
              name: `${method} ${path}, ${status}: ${summary}`,
              method,
              path,
              operation,
              type,
              fields: sent === undefined ? undefined : JSON.parse(sent),
              status: Number(status),
              answer: value,
            }
          }),
        ),
      )
    return [...silent, ...telling]
  })
