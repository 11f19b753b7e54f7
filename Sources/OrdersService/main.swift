print("OrdersService")
