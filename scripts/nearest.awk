# Prints the line nearest to `word` by Levenshtein distance. In awk, because make needs it before Node.js is installed.
{
  distance = levenshtein(word, $0)
  if (NR == 1 || distance < least) {
    least = distance
    nearest = $0
  }
}
END { print nearest }

function levenshtein(a, b,    i, j, cost, row, before, corner) {
  for (j = 0; j <= length(b); j++) row[j] = j
  for (i = 1; i <= length(a); i++) {
    corner = row[0]
    row[0] = i
    for (j = 1; j <= length(b); j++) {
      before = row[j]
      cost = corner + (substr(a, i, 1) != substr(b, j, 1))
      if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1
      if (before + 1 < cost) cost = before + 1
      row[j] = cost
      corner = before
    }
  }
  return row[length(b)]
}
