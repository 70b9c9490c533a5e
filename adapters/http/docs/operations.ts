import type { OpenAPIV3_1 } from 'openapi-types'
import { anchorOf } from './reference.ts'

/** One method of one path. */
export type DocumentedOperation = Readonly<{
  /** The anchor on the page. */
  id: string
  /** In capitals. */
  method: string
  path: string
  url: string
  operation: OpenAPIV3_1.OperationObject
}>

/**
 * Every operation of a document, in its order. Parameters of a path are part of each of its operations.
 *
 * @param base the URL to which the URLs of servers are relative
 */
export const operationsOf = (
  document: OpenAPIV3_1.Document,
  base: string,
): ReadonlyArray<DocumentedOperation> =>
  Object.entries(document.paths ?? {}).flatMap(([path, item = {}]) => {
    const [server] = item.servers ?? document.servers ?? []
    const url = new URL(server?.url ?? '/', base).href.replace(/\/$/, '') + path
    return METHODS.flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
      const id = anchorOf(method, path.replaceAll(/[^A-Za-z0-9]+/g, '-'))
      return [{ id, method: method.toUpperCase(), path, url, operation: { ...operation, parameters } }]
    })
  })

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'] as const
