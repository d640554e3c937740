extension Array {
    /// Returns the position of the first element that does not come before a place; the count if all do. The elements are in order.
    func firstPosition(after isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
