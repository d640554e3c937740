// Shows the sections and names that have all words of a query. A word counts as the beginning of a longer one, too.
"use strict";

function matches(word) {
    const found = new Map();
    for (const [key, numbers] of Object.entries(searchIndex.words)) {
        if (!key.startsWith(word)) continue;
        for (const number of numbers) {
            if (key === word || !found.has(number)) found.set(number, key === word ? 2 : 1);
        }
    }
    return found;
}

function score(entry, words, matched) {
    const title = entry[0].toLowerCase();
    let sum = matched + entry[4];
    for (const word of words) {
        if (title === word || title.startsWith(word + "(")) sum += 30;
        else if (title.startsWith(word)) sum += 10;
        else if (title.includes(word)) sum += 6;
    }
    return sum;
}

function search(query) {
    const words = query.toLowerCase().match(/[a-z0-9_-]+/g) || [];
    if (words.length === 0) return [];
    const found = words.map(matches);
    const results = [];
    for (const number of found[0].keys()) {
        if (!found.every((map) => map.has(number))) continue;
        const matched = found.reduce((sum, map) => sum + map.get(number), 0);
        results.push([score(searchIndex.entries[number], words, matched), number]);
    }
    results.sort((one, other) => other[0] - one[0] || one[1] - other[1]);
    return results.map((result) => searchIndex.entries[result[1]]);
}

function show(query) {
    const results = query.trim() === "" ? [] : search(query);
    const list = document.getElementById("results");
    list.replaceChildren();
    for (const [title, place, address, text] of results.slice(0, 60)) {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = address;
        link.textContent = title;
        const where = document.createElement("span");
        where.className = "place";
        where.textContent = place;
        const excerpt = document.createElement("p");
        excerpt.textContent = text;
        item.append(link, " ", where, excerpt);
        list.append(item);
    }
    const count = document.getElementById("count");
    if (query.trim() === "") count.textContent = "Type a word above.";
    else if (results.length === 0) count.textContent = "Nothing has all these words.";
    else count.textContent = results.length === 1 ? "One result." : results.length + " results.";
}

if (typeof document !== "undefined") {
    const field = document.querySelector("input[name=q]");
    field.value = new URLSearchParams(location.search).get("q") || "";
    field.addEventListener("input", () => show(field.value));
    show(field.value);
    field.focus();
} else {
    // A test calls the search without a page.
    globalThis.search = search;
}
