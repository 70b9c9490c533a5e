import { errorResponse } from './response.ts'

/**
 * Responses that the server may send before, or instead of, the response of an operation (docs/wire.md). Every operation has them
 * in its description.
 */

/** Ends the connection, because the server cannot tell where the next request begins. */
export const LAST = { Connection: 'close' }

/** The methods that at least one route takes. */
export const ALL_METHODS = { Allow: 'GET, HEAD, POST, DELETE, OPTIONS' }

/** docs/wire.md §3 */
export const MAX_HEADER_LINES = 100

export const MALFORMED = errorResponse(400, 'The request is not valid HTTP/1.1.')
export const TOO_SLOW = errorResponse(408, 'The request took too long to arrive.')
export const EXTENSIONS_TOO_LARGE = errorResponse(413, 'The chunk extensions of the body are too large.')
export const UNSUPPORTED_EXPECT = errorResponse(417, 'Expect must be 100-continue.', LAST)
export const TOO_MANY_HEADER_LINES = errorResponse(
  431,
  `The request has more than ${MAX_HEADER_LINES} header lines.`,
  LAST,
)
export const HEADERS_TOO_LARGE = errorResponse(
  431,
  'The request line and headers are larger than 16384 bytes.',
)
export const UNKNOWN_PATH = errorResponse(404, 'Unknown path.')
export const UNEXPECTED = errorResponse(500, 'Unexpected error. The server logged it under the request id.')
