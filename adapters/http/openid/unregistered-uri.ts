/** Says which URI a request named, and what to do: the request or the application is wrong. In the characters of an error description (RFC 6749 §5.2). */
export const unregisteredUri = (sent: string): string => {
  const uri = sent.replace(/[^!#-[\]-~]/gu, encodeURIComponent)
  const shown = uri.length > MOST_SHOWN ? `${uri.slice(0, MOST_SHOWN)}...` : uri
  return `redirect_uri '${shown}' is not registered. It must be one of the application to the last character. To register it, repeat --redirect-uri for all its URIs: portcullis application set ID --redirect-uri URI`
}

const MOST_SHOWN = 200
