import Foundation

/// The runs of one measurement.
struct Series {
    private(set) var values: [Double] = []

    mutating func append(_ value: Double) {
        values.append(value)
    }

    var median: Double { Self.quantile(values.sorted(), 0.5) }

    /// Half the distance between the quartiles, as a share of the median.
    var spread: Double {
        let sorted = values.sorted()
        guard median != 0 else { return 0 }
        return (Self.quantile(sorted, 0.75) - Self.quantile(sorted, 0.25)) / 2 / median
    }

    private static func quantile(_ sorted: [Double], _ share: Double) -> Double {
        guard let last = sorted.indices.last else { return .nan }
        let place = share * Double(last)
        let low = Int(place.rounded(.down))
        let high = min(low + 1, last)
        return sorted[low] + (sorted[high] - sorted[low]) * (place - Double(low))
    }
}
