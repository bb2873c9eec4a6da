# What scripts/smoke and scripts/check-compose ask of a running platform. Sourced after lib.sh, not run. Needs ffmpeg, and
# an empty `folder` for its files, whose logs are shown when something does not happen.

# expect TEXT CURL_ARGUMENTS...: until the response contains the text, for half a minute at most.
expect() {
  local text=$1 response=
  shift
  for _ in $(seq 300); do
    response=$(curl -s "$@" || true)
    [[ "$response" == *"$text"* ]] && return
    sleep 0.1
  done
  echo "expected $text from $*: $response"
  cat "$folder"/*.log
  exit 1
}

# sign_up ADDRESS NAME: prints the id of the new account and its access token.
sign_up() {
  curl -s "$1/v1/auth/signup" -H 'Content-Type: application/json' \
    -d "{\"email\":\"$2@example.com\",\"username\":\"$2\",\"displayName\":\"$2\",\"password\":\"correct horse battery\"}" |
    sed 's/{"user":{"id":"\([^"]*\)".*"accessToken":"\([^"]*\)".*/\1 \2/'
  echo  # `read` wants a whole line
}

# header NAME: the value of a header field in the response that is read.
header() { tr -d '\r' | sed -n "s/^$1: //Ip"; }

# upload ADDRESS TOKEN FILE TITLE: uploads a file in two requests, for everyone; prints the id of the media item.
upload() {
  local tus=(-s -D - -o /dev/null -H "Authorization: Bearer $2" -H 'Tus-Resumable: 1.0.0')
  local patch=("${tus[@]}" -X PATCH -H 'Content-Type: application/offset+octet-stream' --data-binary @-)
  local metadata location
  metadata="title $(printf %s "$4" | base64 -w0),visibility $(printf everyone | base64)"
  location=$(curl "${tus[@]}" -X POST "$1/v1/uploads" -H "Upload-Length: $(stat -c %s "$3")" \
    -H "Upload-Metadata: $metadata" | header Location)
  head -c 1000 "$3" | curl "${patch[@]}" "$location" -H 'Upload-Offset: 0' >/dev/null
  tail -c +1001 "$3" | curl "${patch[@]}" "$location" -H 'Upload-Offset: 1000' | header Upload-Media
}

# tour ADDRESS: uses every service of a new platform that accepts payments of the test provider. Sets `token`, of someone
# who sells `listing`.
tour() {
  local gateway=$1 ada bob other buyer follow stream set picture recording medium file
  expect '"isAvailable":true,"services":[{"name":"auth"' "$gateway/status"
  expect '"items":[]' "$gateway/v1/products"
  read -r ada token < <(sign_up "$gateway" ada)
  read -r bob other < <(sign_up "$gateway" bob)
  expect '"status":"precheckout"' "$gateway/v1/cart" -H "Authorization: Bearer $token"
  say "people"
  follow="$gateway/v1/events?topics=user:$ada:videos,user:$bob:videos"
  expect '' -X PUT "$gateway/v1/follows/$bob" -H "Authorization: Bearer $token"
  curl -sN "$follow" -H "Authorization: Bearer $token" >"$folder/stream" &
  stream=$!
  expect "user:$bob:videos" "file://$folder/stream"
  expect '"status":"outgoing"' "$gateway/v1/connections" -H "Authorization: Bearer $token" \
    -H 'Content-Type: application/json' -d "{\"userID\":\"$bob\"}"
  expect '"status":"accepted"' "$gateway/v1/connections" -H "Authorization: Bearer $other" \
    -H 'Content-Type: application/json' -d "{\"userID\":\"$ada\"}"
  expect 'event: connection.accepted' "file://$folder/stream"
  # The stream of a blocked user loses the blocker's topics.
  expect '' -X PUT "$gateway/v1/blocks/$ada" -H "Authorization: Bearer $other"
  expect "\"topics\":[\"user:$ada:videos\"]" "file://$folder/stream"
  kill "$stream"
  say "study"
  set=01890a5d-ac96-774b-bcce-b302099a8057
  expect '"status":"applied"' "$gateway/v1/sync" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
    -d "{\"device\":\"$bob\",\"deviceTime\":\"$(date -u +%FT%TZ)\",\"operations\":[{\"id\":\"$ada\",\"collection\":\"sets\",
        \"record\":\"$set\",\"action\":\"put\",\"version\":\"0199a1b2c3d4-0001-9f8e7d6c5b4a3210\",\"fields\":{\"title\":\"Latin\"}}]}"
  # Another device of hers has it, and no one else.
  expect '"title":"Latin"' "$gateway/v1/sync" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
    -d "{\"device\":\"$ada\",\"deviceTime\":\"$(date -u +%FT%TZ)\"}"
  expect '"changes":[]' "$gateway/v1/sync" -H "Authorization: Bearer $other" -H 'Content-Type: application/json' \
    -d "{\"device\":\"$ada\",\"deviceTime\":\"$(date -u +%FT%TZ)\"}"
  say "media"
  ffmpeg -v error -y -f lavfi -i testsrc=s=640x360 -frames:v 1 "$folder/picture.png"
  ffmpeg -v error -y -f lavfi -i sine=440:d=5 "$folder/tone.wav"
  picture=$(upload "$gateway" "$token" "$folder/picture.png" 'Holiday picture')
  recording=$(upload "$gateway" "$token" "$folder/tone.wav" 'Morning tone')
  for medium in "$picture" "$recording"; do
    expect '"state":"ready"' "$gateway/v1/media/$medium" -H "Authorization: Bearer $token"
  done
  file=(-o /dev/null -w '%{http_code} %{content_type}')
  expect '200 image/webp' "${file[@]}" "$gateway/v1/media/$picture/thumbnail?width=160" -H 'Accept: image/webp'
  expect '200 audio/mpeg' "${file[@]}" "$gateway/v1/media/$recording/preview"
  expect 'WAVE' "$gateway/v1/media/$recording/content" -r 8-11
  expect '206 audio/wav' "${file[@]}" "$gateway/v1/media/$recording/content" -r 8-11
  expect "\"id\":\"$picture\"" "$gateway/v1/media?query=holidai"
  expect 'content="Holiday picture"' "$gateway/s/media/$picture"
  say "the shop"
  read -r _ buyer < <(sign_up "$gateway" cyd)
  listing=$(curl -s "$gateway/v1/listings" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
    -d "{\"kind\":\"beat\",\"name\":\"Tone\",\"audio\":\"$recording\",\"price\":{\"amount\":1000,\"currency\":\"USD\"}}" |
    sed 's/{"id":"\([^"]*\)".*/\1/')
  expect '"subtotal":{"amount":1000,"currency":"USD"}' "$gateway/v1/cart/items" -H "Authorization: Bearer $buyer" \
    -H 'Content-Type: application/json' -H 'Idempotency-Key: item' -d "{\"listingID\":\"$listing\",\"license\":\"lease\"}"
  expect '"paymentStatus":"paid"' "$gateway/v1/cart/checkout" -H "Authorization: Bearer $buyer" \
    -H 'Content-Type: application/json' -H 'Idempotency-Key: order' \
    -d '{"payment":{"provider":"test","token":"test_success"}}'
  expect "\"listingID\":\"$listing\"" "$gateway/v1/licenses" -H "Authorization: Bearer $buyer"
  expect '"earned":{"amount":900,"currency":"USD"}' "$gateway/v1/sales" -H "Authorization: Bearer $token"
}
