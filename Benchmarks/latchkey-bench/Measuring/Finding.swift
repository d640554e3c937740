/// The result of a row.
struct Finding: Codable {
    enum Demand: Codable {
        case atLeast(Double)
        case atMost(Double)
        /// Nothing is demanded: no program with processes of its own could reach the limit.
        case figure

        /// Nil if nothing is demanded.
        func isMet(by ratio: Double) -> Bool? {
            switch self {
            case .atLeast(let limit): ratio >= limit
            case .atMost(let limit): ratio <= limit
            case .figure: nil
            }
        }
    }

    let name: String
    /// Median over the runs of value divided by limit, each pair measured back to back.
    let ratio: Double
    /// The limit: what it is, and its median.
    let against: String
    let againstValue: Double
    let value: Double
    let unit: String
    let runs: Int
    /// Half the distance between the quartiles of the runs' ratios, as a share of the median.
    let spread: Double
    let demand: Demand
    let notes: [String]

    var isMet: Bool? { demand.isMet(by: ratio) }

    /// A row whose runs are pairs of value and limit.
    init(
        name: String, pairs: [(value: Double, limit: Double)], unit: String, against: String, demand: Demand,
        notes: [String] = []
    ) {
        var (values, limits, ratios) = (Series(), Series(), Series())
        for pair in pairs {
            values.append(pair.value)
            limits.append(pair.limit)
            ratios.append(pair.value / pair.limit)
        }
        self.name = name
        self.ratio = ratios.median
        self.against = against
        self.againstValue = limits.median
        self.value = values.median
        self.unit = unit
        self.runs = pairs.count
        self.spread = ratios.spread
        self.demand = demand
        self.notes = notes
    }
}
