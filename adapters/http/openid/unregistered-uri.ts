/** Says which URI a request named, and what to do: the request or the application is wrong. In the characters of an error description (RFC 6749 §5.2). */
export const unregisteredUri = (sent: string): string => {
  const uri = sent.replace(/[^!#-[\]-~]/gu, encodeURIComponent)
  const shown = uri.length > MOST_SHOWN ? `${uri.slice(0, MOST_SHOWN)}...` : uri
  const named = HAS_SCHEME.test(sent) ? `redirect_uri '${shown}'` : 'redirect_uri'
  return `${named} is not registered. It must be one of the application to the last character. To register it, repeat --redirect-uri for all its URIs: portcullis application set ID --redirect-uri URI`
}

/** Everything else may be a secret in the wrong place, which is never shown. */
const HAS_SCHEME = /^[a-z][a-z\d+.-]*:/i

const MOST_SHOWN = 200
